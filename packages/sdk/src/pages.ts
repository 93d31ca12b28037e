interface Page<Item> {
  readonly data: readonly Item[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Iterates over the items of all pages of a list. Requests each page only when the iteration reaches it. */
export async function* itemsOf<Item>(
  load: (from: { readonly cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let page = await load({})
  yield* page.data
  while (page.nextCursor !== null) {
    page = await load({ cursor: page.nextCursor })
    yield* page.data
  }
}

/** Saves content as a file, as if the user had downloaded it. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Frees the content after a minute. The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

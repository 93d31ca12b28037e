import type { PGlite } from '@electric-sql/pglite'

type Message = Awaited<ReturnType<PGlite['execProtocolStream']>>[number]
type Row = Message & { readonly name: 'dataRow'; readonly fields: (string | null)[] }

const byteOrderMark = Buffer.from('\uFEFF')
const dataRow = 0x44
const isRow = (message: Message): message is Row => message.name === 'dataRow'

/**
 * Makes the embedded engine return values that begin with U+FEFF as they are stored. Its decoder treats that character
 * as a byte order mark and removes it. The value would then differ from what a client has sent, and from its digest.
 */
export function keepByteOrderMarks(pglite: PGlite): void {
  pglite.execProtocolStream = async (message, options) => {
    const { messages, data } = await pglite.execProtocol(message, options)
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (bytes.includes(byteOrderMark)) restore(messages.filter(isRow), bytes)
    return messages
  }
}

/**
 * Adds the removed characters to the rows, as the raw bytes of the response show. A message with a row consists of a
 * type, a length, the number of fields, and each field with its length.
 */
function restore(rows: readonly Row[], bytes: Buffer): void {
  let row = 0
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] !== dataRow) continue
    const { fields } = rows[row] as Row
    row += 1
    let start = at + 7
    for (const [i, value] of fields.entries()) {
      const length = Math.max(0, bytes.readInt32BE(start))
      start += 4
      const isMarked = byteOrderMark.equals(bytes.subarray(start, start + Math.min(length, 3)))
      if (isMarked) fields[i] = `\uFEFF${value}`
      start += length
    }
  }
}

/**
 * Converts a time of the service to the value of a `datetime-local` input, in the reader’s time zone. An empty text
 * stays empty.
 */
export function localText(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  const two = (number: number) => String(number).padStart(2, '0')
  const year = String(at.getFullYear()).padStart(4, '0')
  const day = `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The size of an image in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

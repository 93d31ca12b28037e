/** The strokes of the icons, on a grid of 16. They are in the code, so that no icon has to be loaded. */
const strokes = {
  overview: 'M2.5 13.5v-4M6.2 13.5v-7M9.8 13.5v-5M13.5 13.5v-11',
  projects: 'M2.5 5.5 8 2.5l5.5 3L8 8.5zM2.5 8.2 8 11.2l5.5-3M2.5 10.9 8 13.9l5.5-3',
  access: 'M5.5 10.5a3 3 0 1 1 2.6-4.5h5.4v2.5h-1.6v2H9.6v-2H8.3a3 3 0 0 1-2.8 2z',
  members:
    'M6 7.5a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.8 13.5c.2-2.4 1.8-4 4.2-4s4 1.6 4.2 4M10.8 3.1a2.3 2.3 0 0 1 0 4.2M12 9.9c1.4.5 2.2 1.9 2.3 3.6',
  servers: 'M2.5 2.8h11v4h-11zM2.5 9.2h11v4h-11zM5 4.8h.1M5 11.2h.1',
  webhooks: 'M13.5 8H6M9 4.5 5.5 8 9 11.5M2.5 2.5v11',
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  monitoring: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  settings:
    'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM6 13.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  about: 'M8 13.8A5.8 5.8 0 1 0 8 2.2a5.8 5.8 0 0 0 0 11.6zM8 7.3v3.4M8 5.2h.1',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM13.5 13.5l-3.3-3.3',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  close: 'M4 4l8 8M12 4l-8 8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  plus: 'M8 3v10M3 8h10',
  key: 'M9.5 9.5a3.5 3.5 0 1 0-3-3L2.5 10.5v3h3v-2h2v-2z',
  out: 'M6.5 2.5h-4v11h4M6.5 8h7M10.5 5l3 3-3 3',
  warn: 'M8 2.5 14.2 13H1.8zM8 6.5v3M8 11.4h.1',
} as const

export type IconName = keyof typeof strokes

/** An icon. It is hidden from screen readers, so put a text next to it, or label its button. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={strokes[name]} />
  </svg>
)

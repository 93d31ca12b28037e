import { localText } from '../../components/period-text.ts'

/** A period in the reader’s time zone, in the format of page addresses. An empty end means now. */
interface Preset {
  readonly from: string
  readonly to: string
}

/** The names of the most common periods, in words for the reader. */
export const presetTexts = {
  week: 'Last 7 days',
  thirty: 'Last 30 days',
  month: 'Last month',
} as const

type PresetName = keyof typeof presetTexts

/** Returns the moments of a period. They change once a day, so that an address stays the same during the day. */
export function presetOf(name: PresetName, now: Date): Preset {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const midnight = (...date: [number, number, number]) => localText(new Date(...date))
  if (name === 'month') return { from: midnight(year, month - 1, 1), to: midnight(year, month, 1) }
  return { from: midnight(year, month, day - (name === 'week' ? 7 : 30)), to: '' }
}

/** Returns the name of the period with these moments. Empty if no named period has them. */
export function presetNamed(from: string | undefined, to: string | undefined, now: Date): PresetName | '' {
  const names = Object.keys(presetTexts) as PresetName[]
  const hasThese = (name: PresetName) => {
    const preset = presetOf(name, now)
    return preset.from === (from ?? '') && preset.to === (to ?? '')
  }
  return names.find(hasThese) ?? ''
}

/** Returns true if a text is the name of a preset period. */
export const isPreset = (name: string): name is PresetName => name in presetTexts

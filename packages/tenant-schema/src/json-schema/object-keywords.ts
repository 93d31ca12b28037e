import {
  checkPart,
  every,
  isObject,
  type Keyword,
  quietly,
  readCount,
  readKeys,
  readNames,
} from './keyword.ts'
import { Seen } from './seen.ts'

/** The cost of reading one key, in addition to the cost of its schema. */
const keyCost = 14

/** Checks the values of the keys that `properties` names. A missing key passes. */
const properties: Keyword = (reading) => {
  const nodes = readKeys(reading).map((key) => [key, reading.sub('apart', key)] as const)
  return (value, run, seen) => {
    if (!isObject(value)) return true
    run.spend(nodes.length * keyCost)
    return every(nodes, run, ([key, node]) => {
      if (!Object.hasOwn(value, key)) return true
      seen?.keys.add(key)
      return checkPart(node, value[key], key, run)
    })
  }
}

/** Checks the values of the keys that match a pattern, with the schema of each pattern that they match. */
const patternProperties: Keyword = (reading) => {
  const rules = readKeys(reading).map((source) => ({
    matches: reading.pattern(source, source),
    node: reading.sub('apart', source),
  }))
  return (value, run, seen) => {
    if (!isObject(value)) return true
    const keys = Object.keys(value)
    return every(rules, run, ({ matches, node }) => {
      run.spend(keys.length * keyCost)
      return every(keys, run, (key) => {
        if (!matches(key, run)) return true
        seen?.keys.add(key)
        return checkPart(node, value[key], key, run)
      })
    })
  }
}

/** Checks the keys that neither `properties` nor `patternProperties` of the same schema names. */
const additionalProperties: Keyword = (reading) => {
  const node = reading.sub('apart')
  const { properties: named, patternProperties: matched } = reading.schema
  const names = new Set(isObject(named) ? Object.keys(named) : [])
  const patterns = isObject(matched) ? Object.keys(matched).map((source) => reading.pattern(source)) : []
  return (value, run, seen) => {
    if (!isObject(value)) return true
    const keys = Object.keys(value)
    run.spend(keys.length * keyCost)
    return every(keys, run, (key) => {
      if (names.has(key) || patterns.some((matches) => matches(key, run))) return true
      seen?.keys.add(key)
      if (reading.value === false) return run.fail('UNKNOWN_KEY', 'is not a known key', key)
      return checkPart(node, value[key], key, run)
    })
  }
}

/**
 * Checks the keys that no other keyword has evaluated, neither of this schema nor of a schema that it applies to the
 * same value.
 */
const unevaluatedProperties: Keyword = (reading) => {
  const node = reading.sub('apart')
  return (value, run, seen) => {
    if (!isObject(value) || !seen || seen.hasAllKeys) return true
    const keys = Object.keys(value)
    run.spend(keys.length * keyCost)
    const passed = every(keys, run, (key) => {
      if (seen.keys.has(key)) return true
      if (reading.value === false) return run.fail('UNKNOWN_KEY', 'is not a known key', key)
      return checkPart(node, value[key], key, run)
    })
    seen.hasAllKeys = true
    return passed
  }
}

/** Checks each key, as a string, against a schema. */
const propertyNames: Keyword = (reading) => {
  const node = reading.sub('apart')
  return (value, run) => {
    if (!isObject(value)) return true
    const keys = Object.keys(value)
    run.spend(keys.length * keyCost)
    return every(
      keys,
      run,
      (key) =>
        quietly(run, () => node.check(key, run, undefined)) ||
        run.fail('PROPERTY_NAMES', 'is not an allowed key', key),
    )
  }
}

/** Checks that an object has all keys of `required`. Reports each missing key. */
const required: Keyword = ({ value, complain }) => {
  const names = readNames(value, complain)
  return (given, run) => {
    if (!isObject(given)) return true
    run.spend(names.length * keyCost)
    return every(
      names,
      run,
      (name) => Object.hasOwn(given, name) || run.fail('REQUIRED', 'is required', name),
    )
  }
}

/** Checks that an object with a certain key also has certain other keys. */
const dependentRequired: Keyword = (reading) => {
  const rules = readKeys(reading).map((key) => ({
    key,
    names: readNames((reading.value as Record<string, unknown>)[key], reading.complain, key),
  }))
  return (value, run) => {
    if (!isObject(value)) return true
    run.spend(rules.length * keyCost)
    return every(rules, run, ({ key, names }) => {
      if (!Object.hasOwn(value, key)) return true
      run.spend(names.length * keyCost)
      const message = `is required with ${key.slice(0, 100)}`
      return every(names, run, (name) => Object.hasOwn(value, name) || run.fail('REQUIRED', message, name))
    })
  }
}

/** Checks an object with a certain key against another schema. */
const dependentSchemas: Keyword = (reading) => {
  const rules = readKeys(reading).map((key) => ({ key, node: reading.sub('inPlace', key) }))
  return (value, run, seen) => {
    if (!isObject(value)) return true
    run.spend(rules.length * keyCost)
    return every(rules, run, ({ key, node }) => {
      if (!Object.hasOwn(value, key)) return true
      const inner = seen && new Seen()
      const passed = node.check(value, run, inner)
      if (passed && inner) seen?.add(inner, run)
      return passed
    })
  }
}

/** Creates the keyword for a limit of the number of keys. */
const keyBound =
  (code: string, words: string, holds: (count: number, limit: number) => boolean): Keyword =>
  (reading) => {
    const limit = readCount(reading)
    if (limit === undefined) return undefined
    return (value, run) => {
      if (!isObject(value)) return true
      const { length } = Object.keys(value)
      run.spend(length * keyCost)
      return holds(length, limit) || run.fail(code, `must have ${words} ${limit} keys`)
    }
  }

/**
 * The keywords for objects, in the order of their checks. `unevaluatedProperties` is separate, because it comes last.
 */
export const objectKeywords: Readonly<Record<string, Keyword>> = {
  required,
  minProperties: keyBound('MIN_PROPERTIES', 'at least', (count, limit) => count >= limit),
  maxProperties: keyBound('MAX_PROPERTIES', 'at most', (count, limit) => count <= limit),
  dependentRequired,
  propertyNames,
  properties,
  patternProperties,
  additionalProperties,
  dependentSchemas,
}

/** The keywords for objects that must be checked after all others. */
export const lastObjectKeywords: Readonly<Record<string, Keyword>> = { unevaluatedProperties }

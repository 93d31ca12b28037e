import type { StoredField } from './field.ts'
import { personFields } from './person-fields.ts'
import { projectFields } from './project-fields.ts'
import { webhookFields } from './webhook-fields.ts'

/** Every field that stores text. */
export const fields: readonly StoredField[] = [...projectFields, ...webhookFields, ...personFields]

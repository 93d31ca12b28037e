import { onEventLoop } from '@rolecall/api/platform/json-schema/allowance'
import { compileSchema } from '@rolecall/api/platform/json-schema/compile-schema'
import { TooCostly } from '@rolecall/api/platform/json-schema/run'
import { JsonEditor, type JsonProblem } from '../../components/json-editor/json-editor.tsx'

interface SchemaEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Loaded when a schema is edited: the editor, and what the service checks schemas with. */
export default function SchemaEditor(props: SchemaEditorProps) {
  return <JsonEditor label="Schema" {...props} check={problemsOf} />
}

async function problemsOf(schema: unknown): Promise<readonly JsonProblem[]> {
  try {
    const compiled = compileSchema(schema, onEventLoop)
    return 'problems' in compiled ? compiled.problems : []
  } catch (error) {
    // Too much for a page: the service, which has a worker for it, says what it thinks when it is saved.
    if (error instanceof TooCostly) return []
    throw error
  }
}

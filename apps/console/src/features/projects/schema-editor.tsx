import { compileSchema, onEventLoop, TooCostly } from '@rolecall/tenant-schema'
import { JsonEditor, type JsonProblem } from '../../components/json-editor/json-editor.tsx'

interface SchemaEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A JSON editor for schemas. It makes the same checks as the service. The page loads it on demand. */
export default function SchemaEditor(props: SchemaEditorProps) {
  return <JsonEditor label="Schema" {...props} check={problemsOf} />
}

async function problemsOf(schema: unknown): Promise<readonly JsonProblem[]> {
  try {
    const compiled = compileSchema(schema, onEventLoop)
    return 'problems' in compiled ? compiled.problems : []
  } catch (error) {
    // Checking an expensive schema here would block the page. The service checks it when it is saved.
    if (error instanceof TooCostly) return []
    throw error
  }
}

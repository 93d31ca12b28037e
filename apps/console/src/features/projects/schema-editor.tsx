import { compileSchema, onEventLoop, TooCostly } from '@rolecall/tenant-schema'
import { JsonEditor, type JsonProblem } from '../../components/json-editor/json-editor.tsx'

interface SchemaEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Shows the editor of a schema, which the page loads on demand, with the checks that the service itself makes. */
export default function SchemaEditor(props: SchemaEditorProps) {
  return <JsonEditor label="Schema" {...props} check={problemsOf} />
}

async function problemsOf(schema: unknown): Promise<readonly JsonProblem[]> {
  try {
    const compiled = compileSchema(schema, onEventLoop)
    return 'problems' in compiled ? compiled.problems : []
  } catch (error) {
    // A costly schema would block the page. The service checks it in a worker thread when it is saved.
    if (error instanceof TooCostly) return []
    throw error
  }
}

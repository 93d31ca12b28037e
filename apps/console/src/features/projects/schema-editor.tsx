import { compileSchema, onEventLoop, TooCostly } from '@rolecall/tenant-schema'
import { JsonEditor, type JsonProblem } from '../../components/json-editor/json-editor.tsx'

interface SchemaEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Shows the schema editor with the same checks that the service makes. The page loads it on demand. */
export default function SchemaEditor(props: SchemaEditorProps) {
  return <JsonEditor label="Schema" {...props} check={problemsOf} />
}

async function problemsOf(schema: unknown): Promise<readonly JsonProblem[]> {
  try {
    const compiled = compileSchema(schema, onEventLoop)
    return 'problems' in compiled ? compiled.problems : []
  } catch (error) {
    // Checking a costly schema would block the page. The service checks it in a worker thread when it is saved.
    if (error instanceof TooCostly) return []
    throw error
  }
}

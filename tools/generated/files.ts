import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formBodies } from './form-bodies.ts'
import { adminTypes } from './print-admin-types.ts'
import { contractTypes } from './print-types.ts'
import { pythonModels } from './python-models.ts'
import { pythonPageTexts } from './python-page-texts.ts'
import { asSynchronous } from './synchronous-python.ts'

const python = 'clients/python/src/rolecall'
/** The asynchronous modules of the Python client, each with the synchronous module that is generated from it. */
const twins = { 'async_client.py': 'client.py', 'async_event_reader.py': 'event_reader.py' }

/**
 * Returns the generated sources that are not committed, by path. Omits the files for Python if the folder of the Python
 * client is missing, as in a container image.
 */
export function generatedFiles(root: string): Record<string, string> {
  return {
    'apps/console/src/forms/form-bodies.ts': formBodies(),
    'packages/sdk/src/contract-types.ts': contractTypes(),
    'packages/sdk/src/admin-types.ts': adminTypes(),
    ...(existsSync(join(root, python)) && pythonFiles(join(root, python))),
  }
}

function pythonFiles(folder: string): Record<string, string> {
  const synchronous = Object.entries(twins).map(([from, to]) => {
    return [`${python}/${to}`, asSynchronous(readFileSync(join(folder, from), 'utf8'), from)]
  })
  return {
    [`${python}/models.py`]: pythonModels(),
    [`${python}/web/page_texts.py`]: pythonPageTexts(),
    ...Object.fromEntries(synchronous),
  }
}

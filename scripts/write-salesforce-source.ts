/**
 * Writes `deploy/salesforce`. The folder contains the fields of the default Salesforce field map as source files that
 * an administrator can deploy. After a change to the map or to its fields, run `node
 * scripts/write-salesforce-source.ts`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { salesforceConnector } from '../connectors/salesforce/connector.ts';
import { EXAMPLE_URL } from '../connectors/salesforce/project/enhance-action.ts';
import { fieldsProject } from '../connectors/salesforce/project/project.ts';
import { DEFAULT_API_VERSION } from '../connectors/salesforce/settings.ts';
import { toFieldSpecs } from '../src/fields/describe.ts';

const target = fileURLToPath(new URL('../deploy/salesforce', import.meta.url));
const specs = toFieldSpecs(salesforceConnector.defaultFields);
const { files } = fieldsProject({ apiVersion: DEFAULT_API_VERSION }, specs, EXAMPLE_URL);

for (const folder of ['force-app', 'app', 'app-person-accounts']) {
  rmSync(join(target, folder), { recursive: true, force: true });
}
for (const [path, text] of files) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

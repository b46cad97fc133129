import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { controlService, type ServiceControl } from './service-control.ts';

/** A folder with a contact list of people whom the service knows, and settings that sync it. */
export interface CsvFolder {
  folder: string;
  /** The path of the settings file. */
  settings: string;
  service: ServiceControl;
  remove(): Promise<void>;
}

export async function openCsvFolder(
  sandbox: { rootUrl: string; baseUrl: string; apiKey: string },
  options: {
    people: number;
    /** The database URL. The default is a database in the folder. */
    database?: string;
    /** The client's settings, without its service key and its contact list. `id` names the client. */
    integration: { id: string } & Record<string, unknown>;
  },
): Promise<CsvFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-csv-'));
  const service = controlService(sandbox);
  const rows = (await service.people(options.people)).map(
    ({ id, firstName, lastName, addresses, employers }) => ({
      Id: id,
      First: firstName,
      Last: lastName,
      Address: addresses[0] ?? '',
      Employer: employers[0] ?? '',
    }),
  );
  await writeFile(join(folder, 'in.csv'), stringify(rows, { header: true }));
  const settings = join(folder, 'donor-sync.yaml');
  const columns = {
    ...{ id: 'Id', firstName: 'First', lastName: 'Last' },
    ...{ addresses: ['Address'], employers: ['Employer'] },
  };
  const { baseUrl, apiKey } = sandbox;
  const integration = {
    partner: { baseUrl, apiKey },
    crm: { kind: 'csv', path: 'in.csv', output: 'out.csv', columns },
    ...options.integration,
  };
  const { database = 'sqlite:store.db' } = options;
  // JSON is also valid YAML.
  await writeFile(settings, JSON.stringify({ database, integrations: [integration] }));
  return { folder, settings, service, remove: () => rm(folder, { recursive: true, force: true }) };
}

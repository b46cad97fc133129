import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { crmName } from '../../../../../connectors/index.ts';
import type { DemoContact } from './contacts.ts';
import type { DemoCrmKind } from './crms.ts';

export interface DemoFolder {
  path: string;
  settings: string;
  /** The nonprofit's contact list. */
  contacts: string;
  /** The contact list with the values that the sync wrote. */
  enhanced: string;
}

export const ENHANCED_FIELDS = [
  'Donor Net Worth',
  'Donor Capacity',
  'Donor Work',
  'Donor Education',
] as const;

export const DEMO_INTEGRATION = 'demo';

/** Returns the ID of the demo's integration with a CRM. */
export function crmIntegration(kind: string): string {
  return `demo-${kind}`;
}

export interface ServedCrm {
  crm: DemoCrmKind;
  baseUrl: string;
  secret: string;
}

/** The addresses of the service and the CRMs. */
export interface DemoAddresses {
  baseUrl: string;
  apiKey: string;
  crms: readonly ServedCrm[];
}

export async function createDemoFolder(
  contacts: readonly DemoContact[],
  addresses: DemoAddresses,
): Promise<DemoFolder> {
  const folder = await makeDemoFolder();
  await writeFile(folder.contacts, contactsText(contacts));
  await writeFile(folder.settings, settingsText(addresses));
  return folder;
}

/** Creates the demo's folder. The folder's files do not exist yet. */
export async function makeDemoFolder(): Promise<DemoFolder> {
  const path = await mkdtemp(join(tmpdir(), 'donor-sync-demo-'));
  return {
    path,
    settings: join(path, 'donor-sync.yaml'),
    contacts: join(path, 'contacts.csv'),
    enhanced: join(path, 'enhanced.csv'),
  };
}

/** The settings of the contact list. The settings file may contain other integrations. */
export interface ListSettings {
  id: string;
  name: string;
  service: { baseUrl: string; apiKey: string };
  columns: string;
  /** The other settings, indented by four spaces, and the other integrations. */
  rest: string;
}

export function listSettings({ id, name, service, columns, rest }: ListSettings): string {
  return `# Settings of the demo. Real keys belong in the environment: apiKey: "\${PARTNER_API_KEY}"

database: "sqlite:donor-sync.db"

integrations:
  - id: ${id}
    name: ${name}
    partner:
      baseUrl: ${service.baseUrl}
      apiKey: ${service.apiKey}
    crm:
      kind: csv
      path: contacts.csv
      output: enhanced.csv
      columns:
        id: Id
        firstName: First
        lastName: Last
${columns}
${rest}`;
}

const rowsSchema = z.array(z.record(z.string(), z.string()));

/** Returns a file's rows by ID. Each row maps its columns to cells. */
export async function readRows(path: string): Promise<Map<string, Record<string, string>>> {
  const rows = rowsSchema.parse(parse(await readFile(path), { columns: true }));
  return new Map(rows.map((row) => [row['Id'] ?? '', row]));
}

function contactsText(contacts: readonly DemoContact[]): string {
  return stringify([...contacts], {
    header: true,
    columns: [
      { key: 'id', header: 'Id' },
      { key: 'firstName', header: 'First' },
      { key: 'lastName', header: 'Last' },
      { key: 'street', header: 'Street' },
      { key: 'city', header: 'City' },
      { key: 'state', header: 'State' },
      { key: 'zip', header: 'Zip' },
      { key: 'employer', header: 'Employer' },
      { key: 'netWorthNote', header: 'Donor Net Worth' },
    ],
  });
}

function settingsText({ baseUrl, apiKey, crms }: DemoAddresses): string {
  return listSettings({
    id: DEMO_INTEGRATION,
    name: 'Demo with a CSV file',
    service: { baseUrl, apiKey },
    columns: `        addresses: [Street, City, State, Zip]
        employers: [Employer]`,
    rest: `    fields: # a value is only written if the cell is empty or still holds what was written last
      - { from: netWorth.label, to: Donor Net Worth }
      - { from: capacity.nonprofit, to: Donor Capacity }
      - { from: work.primary, to: Donor Work }
      - { from: education.primary, to: Donor Education }
${crms.map((served, at) => crmSettings({ baseUrl, apiKey }, served, at === 0)).join('')}`,
  });
}

function crmSettings(
  { baseUrl, apiKey }: ListSettings['service'],
  { crm, baseUrl: url, secret }: ServedCrm,
  isFirst: boolean,
): string {
  const { kind, signIn, board, staff, networkSuffix, colors, settings = [] } = crm;
  const oneKey = isFirst ? '' : ' # one key for all: a person in two CRMs is paid for once';
  const groups = isFirst ? ' # shows which contacts the people in these groups know' : '';
  return `
  - id: ${crmIntegration(kind)}
    name: Demo on ${crmName(kind)}
    partner:${oneKey}
      baseUrl: ${baseUrl}
      apiKey: ${apiKey}
    crm: # the fields are the default map of config/fields.${kind}.json
      kind: ${kind}
      url: ${url}
      auth: { type: ${signIn.type}, ${signIn.secret}: "${secret}" }
${settings.map((line) => `      ${line}\n`).join('')}    networks:${groups}
      - { name: Board${networkSuffix}, color: ${colors[0]}, group: ${board} }
      - { name: Staff${networkSuffix}, color: ${colors[1]}, group: ${staff} }
`;
}

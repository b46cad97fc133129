/** The three CRMs in the sweep. Their people's data contains marks. The CRMs can fail in several ways. */
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { sandboxControl } from '../connectors/crm-sandbox.ts';
import { controlService } from '../helpers/service-control.ts';
import type { SweptCrm, SweptWorld } from './swept-world.ts';

/** The service generates both, so the contacts are donors that it knows. */
const PEOPLE = { contacts: 16, donors: 500 };

/** The marks in every CRM. They are a name, a figure and a note that no other data contains. */
export const PLANTED = {
  first: 'Zyxabelle',
  last: 'Zyxermain',
  figure: '$4,217,333',
  note: 'A zyxnote: sold the vineyard, quarrels with her brother.',
};

/** The error message of an external service. It quotes every mark. */
export const QUOTING = Object.values(PLANTED).join(' | ');

export interface Neighbour extends SweptCrm {
  /**
   * The IDs of the contact with the planted name, a contact that the service knows, and a contact that does not change.
   */
  ids: { planted: string; known: string; other: string };
  /** Files that contain people because each file is the CRM itself. */
  files: readonly string[];
  /**
   * The ways in which the CRM refuses writes. The first sync, an undo and an erasure each have to handle all of these
   * refusals.
   */
  refusals: readonly Failure[];
  /** The other ways in which the CRM fails. */
  failures: readonly Failure[];
  /** The commands' messages about these failures, which prove that they occurred. */
  proofs: readonly string[];
  /** Returns the current names, figures and notes of all its people. */
  readMarks(): Promise<string[]>;
  close(): Promise<void>;
}

/** A failure that continues until the test switches it off. */
interface Failure {
  begin(): Promise<void>;
  end(): Promise<void>;
}

type Control = ReturnType<typeof sandboxControl>['control'];

export async function openSalesforce(): Promise<Neighbour> {
  const crm = await startSalesforceSandbox({ ...PEOPLE, shape: 'plain' });
  const { control } = sandboxControl(crm.rootUrl);
  const ids = await peopleIds(control);
  const [first = '', known = '', other = ''] = ids;
  await updateAll(control, ids, (at) => ({
    Department: PLANTED.figure,
    Description: PLANTED.note,
    Title: at < 6 ? 'Board' : 'Friend',
    ...(at === 0 ? { FirstName: PLANTED.first, LastName: PLANTED.last } : {}),
  }));
  const rule = {
    kind: 'validation',
    type: 'Contact',
    when: 'LastName != null',
    message: `${QUOTING}: {!FirstName} {!LastName} is worth {!Department}: {!Description}`,
  };
  const refusal = { error: 'invalid_grant', error_description: `${QUOTING} ${crm.clientSecret}` };
  const fault = (path: string, status: number, body: unknown) =>
    failing(control, path, status, body);
  return {
    settings: `{ kind: salesforce, url: "${crm.baseUrl}", auth: { type: clientCredentials, clientId: "${crm.clientId}", clientSecret: "\${CRM_SECRET}" } }`,
    secrets: { CRM_SECRET: crm.clientSecret },
    group: `{ where: "Title = 'Board'" }`,
    fields: [
      '{ from: donorId, to: Donor_ID__c }',
      '{ from: netWorth.label, to: Department, when: always }',
      '{ from: bio, to: Description, when: always }',
      '{ from: netWorth.low, to: Donor_Net_Worth_Low__c }',
      '{ from: warmPath.sentence, to: Donor_Warm_Path__c }',
    ],
    ids: { planted: first, known, other },
    files: [],
    refusals: [
      {
        begin: () => change(control, 'POST', 'rules', rule),
        end: () => change(control, 'DELETE', 'rules'),
      },
      {
        begin: () =>
          change(control, 'POST', 'rules', {
            ...rule,
            statusCode: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
          }),
        end: () => change(control, 'DELETE', 'rules'),
      },
    ],
    failures: [
      ...['INVALID_FIELD', 'MALFORMED_QUERY', 'UNABLE_TO_LOCK_ROW', 'ZYX_NEW_CODE'].map(
        (errorCode) =>
          fault('/query*', 400, [
            {
              errorCode,
              fields: [QUOTING],
              message: `${QUOTING} ERROR at Row:1:Column:9 No such column '${PLANTED.last}'`,
            },
          ]),
      ),
      fault('*/services/data*', 401, [{ errorCode: 'INVALID_SESSION_ID', message: QUOTING }]),
      fault('*/token', 400, refusal),
      fault('*/token', 500, `<html>${QUOTING} ${crm.clientSecret}</html>`),
      fault('*/composite*', 400, [{ errorCode: QUOTING, message: QUOTING }]),
      fault('*/sobjects*', 403, [{ errorCode: 'INSUFFICIENT_ACCESS', message: QUOTING }]),
    ],
    proofs: [
      ...['FIELD_CUSTOM_VALIDATION_EXCEPTION', 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY'],
      ...['INVALID_FIELD', 'MALFORMED_QUERY', 'ZYX_NEW_CODE'],
      ...['invalid_grant', 'INSUFFICIENT_ACCESS'],
    ],
    readMarks: () => marksOf(control, 'Contact', ids, ['Department', 'Description']),
    close: crm.close,
  };
}

export async function openHubspot(): Promise<Neighbour> {
  const limits = { ratePer10s: 0, dailyLimit: 0, searchPerSecond: 0, searchLagMs: 0 };
  const crm = await startHubspotSandbox({ ...PEOPLE, ...limits });
  const { control } = sandboxControl(crm.rootUrl);
  const ids = await peopleIds(control);
  const [first = '', known = '', other = ''] = ids;
  await updateAll(control, ids, (at) => ({
    jobtitle: PLANTED.figure,
    city: PLANTED.note,
    industry: at < 6 ? 'board' : 'friend',
    ...(at === 0 ? { firstname: PLANTED.first, lastname: PLANTED.last } : {}),
  }));
  const message = `${QUOTING}: {!firstname} {!lastname} is worth {!jobtitle}`;
  const body = {
    ...{ status: 'error', category: QUOTING, message: `${QUOTING} ${crm.token}` },
    errors: [{ message: QUOTING, code: QUOTING, context: { propertyName: [QUOTING] } }],
    context: { requiredScopes: [QUOTING] },
  };
  const fault = (path: string, status: number) => failing(control, path, status, body);
  return {
    settings: `{ kind: hubspot, url: "${crm.baseUrl}", auth: { type: token, token: "\${CRM_SECRET}" } }`,
    secrets: { CRM_SECRET: crm.token },
    group: '{ property: industry, equals: board }',
    fields: [
      '{ from: donorId, to: donor_id }',
      '{ from: netWorth.label, to: jobtitle, when: always }',
      '{ from: bio, to: city, when: always }',
      '{ from: netWorth.low, to: donor_net_worth_low }',
      '{ from: warmPath.sentence, to: donor_warm_path }',
    ],
    ids: { planted: first, known, other },
    files: [],
    refusals: [
      {
        begin: () => change(control, 'POST', 'rules', { kind: 'refuse', ids, message }),
        end: () => change(control, 'DELETE', 'rules'),
      },
    ],
    failures: [
      fault('*/contacts/*', 400),
      fault('*/batch/update', 400),
      fault('*/search', 400),
      fault('*/properties/*', 403),
      fault('*', 401),
      fault('*', 500),
    ],
    proofs: ['VALIDATION_ERROR', 'HubSpot refused a request (UNKNOWN)'],
    readMarks: () => marksOf(control, 'contacts', ids, ['jobtitle', 'city']),
    close: crm.close,
  };
}

/** Returns the external CSV file. The test folder must exist first, because it contains the file. */
export function csvOf(world: Pick<SweptWorld, 'path'>): Omit<Neighbour, keyof SweptCrm | 'ids'> {
  const input = world.path('lists/in.csv');
  let whole = '';
  const broken = (breakIt: (text: string) => string) => ({
    async begin() {
      whole = await readFile(input, 'utf8');
      await writeFile(input, breakIt(whole));
    },
    end: () => writeFile(input, whole),
  });
  const [id, row] = ['C000001', `"${PLANTED.first}" ${PLANTED.last},"${PLANTED.note}`];
  return {
    files: ['lists/in.csv', 'lists/out.csv'],
    refusals: [],
    failures: [
      broken((text) => `${text}${id},${row}\n`),
      broken((text) => `${text}"${PLANTED.last}"${PLANTED.note},a,b\n`),
      broken((text) => `${text}${text.split('\n')[1]}\n`),
      broken((text) => `${text}Z1${`,${PLANTED.last}`.repeat(20)}\n`),
      broken((text) => text.split('\n').slice(1).join('\n')),
      broken((text) => `${text}Z2,${PLANTED.last}\u0000\ufffd,\n`),
    ],
    proofs: ['there is no column', 'contacts'],
    async readMarks() {
      const files = [await readFile(input), await readFile(world.path('lists/out.csv'))];
      const marks = files.flatMap((file) =>
        rowsSchema
          .parse(parse(file, { columns: true, bom: true }))
          .flatMap((cells) => [
            ...[`${cells['First']} ${cells['Last']}`, cells['Address'] ?? ''],
            ...[cells['Note'] ?? '', cells['Figure'] ?? '', cells['Path'] ?? ''],
          ]),
      );
      return telling(marks);
    },
    close: async () => {},
  };
}

export const CSV: SweptCrm = {
  settings:
    '{ kind: csv, path: lists/in.csv, output: lists/out.csv, columns: { id: Id, firstName: First, lastName: Last, addresses: [Address], employers: [Employer] } }',
  secrets: {},
  group: '{ column: Board, equals: "yes" }',
  fields: [
    '{ from: donorId, to: Donor }',
    '{ from: netWorth.label, to: Figure, when: always }',
    '{ from: bio, to: Note, when: always }',
    '{ from: netWorth.low, to: Low }',
    '{ from: warmPath.sentence, to: Path }',
  ],
};

/** Fills the input file with people whom the service knows. */
export async function writeCsv({
  service,
  path,
}: Pick<SweptWorld, 'service' | 'path'>): Promise<Neighbour['ids']> {
  const people = await controlService(service).people(PEOPLE.contacts);
  const rows = people.map(({ id, firstName, lastName, addresses, employers }, at) => ({
    Id: id,
    First: at === 0 ? PLANTED.first : (firstName ?? ''),
    Last: at === 0 ? PLANTED.last : (lastName ?? ''),
    Address: addresses[0] ?? '',
    Employer: employers[0] ?? '',
    Board: at < 6 ? 'yes' : 'no',
    Figure: PLANTED.figure,
    Note: PLANTED.note,
  }));
  await writeFile(path('lists/in.csv'), stringify(rows, { header: true }));
  const [planted = '', known = '', other = ''] = people.map(({ id }) => id);
  return { planted, known, other };
}

const rowsSchema = z.array(z.record(z.string(), z.string()));
const peopleSchema = z.object({ people: z.array(z.object({ id: z.string() })) });
const recordSchema = z.union([
  z.object({ properties: z.record(z.string(), z.unknown()) }).transform((one) => one.properties),
  z.record(z.string(), z.unknown()),
]);

async function peopleIds(control: Control): Promise<string[]> {
  return peopleSchema.parse(await control('GET', 'people?limit=1000')).people.map(({ id }) => id);
}

async function updateAll(
  control: Control,
  ids: readonly string[],
  valuesAt: (at: number) => Record<string, string>,
): Promise<void> {
  for (const [at, id] of ids.entries()) {
    await control('POST', 'edit', { action: 'update', id, values: valuesAt(at) });
  }
}

async function marksOf(
  control: Control,
  type: string,
  ids: readonly string[],
  fields: readonly string[],
): Promise<string[]> {
  const marks: string[] = [];
  for (const id of ids) {
    const record = recordSchema.parse(await control('GET', `record/${type}/${id}`));
    const text = (...names: string[]) =>
      String(names.map((name) => record[name]).find(Boolean) ?? '');
    marks.push(`${text('FirstName', 'firstname')} ${text('LastName', 'lastname')}`);
    marks.push(text('Donor_Warm_Path__c', 'donor_warm_path'), ...fields.map((name) => text(name)));
  }
  return telling(marks);
}

/** Returns the distinct strings that are long enough. Other data can contain shorter strings by chance. */
function telling(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text.trim().length >= 8 && text.trim() === text);
}

async function change(control: Control, method: string, path: string, body?: unknown) {
  await control(method, path, body);
}

function failing(control: Control, path: string, status: number, body: unknown) {
  const rule = { on: { path }, fault: { kind: 'answer', status, body } };
  return {
    begin: () => change(control, 'PUT', 'faults', [rule]),
    end: () => change(control, 'PUT', 'faults', []),
  };
}

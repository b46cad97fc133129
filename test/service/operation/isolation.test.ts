import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { send } from '../../testbed/asking.ts';
import { type Operation, readDocument } from '../openapi-document.ts';
import { PEOPLE, startRunning } from './running.ts';

/** A team's data. */
interface Belongings {
  /** Ids and names that no other team must ever see. */
  secrets: string[];
  ids: Record<string, string>;
}

describe('two teams of one service', () => {
  it('never see or change anything of each other, on every route with every id of the other', async () => {
    const service = await startRunning(['alpha', 'beta']);
    const [alphaKey = '', betaKey = ''] = service.keys;
    const as = (apiKey: string) => (method: string, path: string, body?: unknown) =>
      send(service.baseUrl + path, method, { body, headers: { 'x-api-key': apiKey } });
    const [alpha, beta] = [as(alphaKey), as(betaKey)];
    const donorIds = await donorsOf(alpha);
    const { secrets, ids } = await settleIn(alpha, donorIds);
    const { operations } = readDocument((await beta('GET', '/openapi.json')).body);

    // Every route that reads a single object reads an object of the team alpha. The test must first create an object
    // of each new kind.
    const unreached: string[] = [];
    for (const { method, path } of operations) {
      if (method !== 'GET' || !path.includes('{')) continue;
      const own = [...Object.values(ids), donorIds[0] ?? ''];
      const statuses = await Promise.all(
        own.map(async (id) => (await alpha(method, path.replaceAll(/\{\w+\}/g, id))).status),
      );
      if (!statuses.includes(200)) unreached.push(path);
    }
    expect(unreached).toEqual([]);

    const before = await everythingOf(alpha, ids);
    const leaks: string[] = [];
    let asked = 0;
    for (const operation of operations) {
      for (const { path, body } of requestsOf(operation, ids, donorIds)) {
        asked += 1;
        const answer = await beta(operation.method, path, body);
        const what = `${operation.method} ${path} → ${answer.status}`;
        const said = path + JSON.stringify(body ?? '');
        const shown = JSON.stringify(answer.body ?? '');
        // An ID in the request may be returned as not found, but no other data may be returned.
        const seen = secrets.filter((secret) => shown.includes(secret) && !said.includes(secret));
        if (seen.length > 0) leaks.push(`${what} shows ${seen.join(', ')}`);
        if (answer.status >= 500) leaks.push(`${what} failed`);
        const leadsToOthers = Object.values(ids).some((id) => path.includes(id));
        if (leadsToOthers && answer.status < 400) leaks.push(`${what} was done`);
      }
    }
    expect(leaks).toEqual([]);
    expect(asked).toBeGreaterThan(operations.length);
    expect(await everythingOf(alpha, ids)).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});

it('has no route that openapi.json does not describe, so that the test above asks all of them', () => {
  const root = join(import.meta.dirname, '..', '..', '..', 'service');
  const undescribed = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(join(root, name), 'utf8').matchAll(BARE_ROUTE)].map(
        ([, , path]) => `${name} ${path}`,
      ),
    );
  expect(undescribed.toSorted()).toEqual([
    // Routes that are described in the file that defines them.
    'documents.ts /docs',
    'documents.ts /openapi.json',
    'documents.ts /redoc',
    // The operator's routes, on a separate port.
    'operation/serve.ts /healthz',
    'operation/serve.ts /metrics',
    'operation/serve.ts /readyz',
  ]);
});

/** Matches a route that is not created from a description. */
const BARE_ROUTE = /\b\w+\.(get|post|put|patch|delete|all|on)\(\s*'(\/[^']*)'/g;

type Ask = (method: string, path: string, body?: unknown) => ReturnType<typeof send>;

async function donorsOf(ask: Ask): Promise<string[]> {
  const { body } = await ask('POST', '/search', { query: 'Oldenquist' });
  const found = z.object({ donors: z.array(z.object({ id: z.string() })) }).parse(body);
  expect(found.donors).toHaveLength(PEOPLE.length);
  return found.donors.map(({ id }) => id);
}

/** Creates an object of each kind for a team. Returns the team's data. */
async function settleIn(ask: Ask, donorIds: readonly string[]): Promise<Belongings> {
  const idIn = (name: string, body: unknown) =>
    z.record(z.string(), z.unknown()).parse(body)[name]?.toString() ?? '';
  const [first, second] = donorIds;
  const made = await ask('POST', '/networks', { name: 'Alpha board', color: 'teal' });
  const network = idIn('network_id', made.body);
  await ask('POST', `/networks/${network}/members`, { donor_id: first });
  const bulk = await ask('POST', `/networks/${network}/members/batch`, { donor_ids: [second] });
  const list = idIn('list_id', (await ask('POST', '/lists', { name: 'Alpha prospects' })).body);
  await ask('POST', `/lists/${list}/donors`, { donor_ids: donorIds });
  const order = { list_id: list, fields: ['full_name'], format: 'csv' };
  const exported = await ask('POST', '/exports', order);
  const submitted = await ask('POST', '/enhancements', {
    persons: [{ tracking_id: 'alpha-contact', name: { first: 'Ada', last: 'Oldenquist' } }],
  });
  const jobs = z.object({ tracking_id_to_job_id: z.record(z.string(), z.string()) });
  const [job = ''] = Object.values(jobs.parse(submitted.body).tracking_id_to_job_id);
  const ids: Record<string, string> = {
    network,
    list,
    job,
    bulkJob: idIn('job_id', bulk.body),
    export: idIn('export_id', exported.body),
  };
  expect({ ids, exported: exported.body }).toMatchObject({
    ids: Object.fromEntries(
      Object.keys(ids).map((name) => [name, expect.stringMatching(/^.{8,}$/)]),
    ),
  });
  return { secrets: [...Object.values(ids), 'Alpha board', 'Alpha prospects', 'alpha'], ids };
}

/** Returns all data that a team can read and that belongs to the team. */
async function everythingOf(ask: Ask, ids: Record<string, string>) {
  const paths = [
    ...['/credits', '/networks', '/lists', '/exports', `/lists/${ids['list']}`],
    ...[`/networks/jobs/${ids['bulkJob']}`, `/enhancements/${ids['job']}/explanation`],
  ];
  const read = [];
  for (const path of paths) {
    const { status, body } = await ask('GET', path);
    expect({ path, status }).toEqual({ path, status: 200 });
    read.push(body);
  }
  read.push((await ask('POST', '/networks/discover', {})).body);
  return read;
}

/** Yields all requests of an operation with another team's IDs. The IDs are in the path, the query and the body. */
function* requestsOf(
  operation: Operation,
  ids: Record<string, string>,
  donorIds: readonly string[],
): Generator<{ path: string; body: unknown }> {
  const hasDonorPath =
    operation.path.startsWith('/donors/') || operation.path.includes('{donor_id}');
  const inPath = !operation.path.includes('{')
    ? ['']
    : hasDonorPath
      ? [donorIds[0] ?? '']
      : Object.values(ids);
  for (const id of inPath) {
    const path = operation.path.replaceAll(/\{\w+\}/g, id);
    for (const query of ['', queryOf(operation, ids)]) {
      for (const body of bodiesOf(operation, ids, donorIds)) yield { path: path + query, body };
    }
  }
}

function queryOf({ parameters }: Operation, ids: Record<string, string>): string {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const values = query.map(({ name, schema }) => {
    const known = /network/.test(name) ? ids['network'] : undefined;
    return [name, known ?? String(schema['example'] ?? schema['default'] ?? 'Alpha')];
  });
  return values.length === 0 ? '' : `?${new URLSearchParams(values)}`;
}

function bodiesOf(
  { requestBody }: Operation,
  ids: Record<string, string>,
  donorIds: readonly string[],
): unknown[] {
  if (requestBody === undefined) return [undefined];
  // Contains every name that any request accepts. Endpoints ignore names that they do not know.
  const all = {
    ...{
      name: 'Beta',
      color: 'red',
      query: 'Alpha',
      fields: ['full_name'],
      format: 'csv',
      limit: 50,
    },
    ...{ donor_id: donorIds[0], network_ids: [ids['network']], job_ids: Object.values(ids) },
    persons: [{ tracking_id: 'beta', name: { first: 'Ada', last: 'Oldenquist' } }],
  };
  const { network_ids: _, ...unfiltered } = all;
  return [
    { ...all, donor_ids: donorIds },
    { ...unfiltered, donor_ids: donorIds, in_network_donor_ids: donorIds },
    // An export accepts only one of the two.
    { ...all, list_id: ids['list'] },
  ];
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generate } from 'openapi-typescript-codegen';
import { rolldown } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import { ask, personOf, startPartner } from './partner.ts';

/** Code that a customer would write for a client that is generated from openapi.json. */
const FLOW = `
import { ApiError, PartnerClient, type APIDonor, type Person } from './client/index';

export async function run(BASE: string, apiKey: string, person: Person): Promise<string[]> {
  const client = new PartnerClient({ BASE, HEADERS: { 'x-api-key': apiKey } });
  const said: string[] = [];
  const before = await client.account.getCredits();
  const submitted = await client.enhancement.postEnhancements({ requestBody: { persons: [person] } });
  const jobId = Object.values(submitted.tracking_id_to_job_id)[0] ?? '';
  let { job_state } = await client.enhancement.getEnhancementProgress({ jobId });
  for (let poll = 0; poll < 20 && job_state.progress.status === 'processing'; poll += 1) {
    ({ job_state } = await client.enhancement.getEnhancementProgress({ jobId }));
  }
  said.push('progress ' + job_state.progress.status);
  const results = await client.enhancement.postEnhancementsResultsBatch({ requestBody: { job_ids: [jobId] } });
  const state = results.job_id_to_state[jobId];
  const result: APIDonor | null = state?.result ?? null;
  if (result === null) throw new Error('no donor was found');
  const explained = await client.enhancement.getEnhancementExplanation({ jobId });
  said.push('explained ' + String(explained.donor_id === result.id && (explained.match?.probability ?? 0) > 0.9));
  const after = await client.account.getCredits();
  said.push('paid ' + (before.enhancements - after.enhancements));

  const found = await client.search.postSearch({ requestBody: { query: result.name.last } });
  said.push('found ' + found.donors.some(({ id }) => id === result.id));
  const donor = await client.donors.getDonor({ id: result.id });
  said.push('same ' + (JSON.stringify(donor) === JSON.stringify(result)));

  const list = await client.lists.postLists({ requestBody: { name: 'Prospects' } });
  await client.lists.postListDonors({ id: list.list_id, requestBody: { donor_ids: [result.id] } });
  await client.lists.patchList({ id: list.list_id, requestBody: { name: 'Best prospects' } });
  const made = await client.exports.postExports({ requestBody: { fields: ['full_name'], list_id: list.list_id } });
  said.push('exported ' + made.donor_count);

  const network = await client.networks.postNetworks({ requestBody: { name: 'Board', color: 'teal' } });
  const networkId = network.network_id;
  await client.networks.postNetworkMembers({ networkId, requestBody: { donor_id: result.id } });
  const known = await client.connections.postNetworksLookup({ requestBody: { donor_id: result.id, limit: 3 } });
  const ids = known.connections.map((connection) => connection.donor.id);
  const bulk = await client.networks.postNetworkMembersBatch({ networkId, requestBody: { donor_ids: ids } });
  let job = await client.networks.getNetworksJob({ jobId: bulk.job_id });
  for (let look = 0; look < 100 && job.status !== 'completed'; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = await client.networks.getNetworksJob({ jobId: bulk.job_id });
  }
  said.push('job ' + job.status);
  const discovered = await client.connections.postNetworksDiscover({ requestBody: { min_strength: 0.45, limit: 5 } });
  said.push('prospects ' + (discovered.prospects.length > 0));
  const compared = await client.connections.postNetworksConnections({ requestBody: { donor_ids: [result.id] } });
  said.push('compared ' + compared.prospects.length);
  await client.networks.postNetworkMembersRemove({ id: networkId, requestBody: { donor_ids: [result.id] } });
  await client.networks.deleteNetwork({ id: networkId });

  try {
    await client.lists.getList({ id: 'nowhere' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    said.push('refused ' + error.status);
  }
  return said;
}
`;

describe('a client that is generated from openapi.json', () => {
  it('fits its types, and runs the whole flow', async () => {
    const world = createWorld({ seed: 1, donors: 2_000 });
    const partner = await startPartner({ world, networkJobTimeMs: 0 });
    const folder = await mkdtemp(join(tmpdir(), 'generated-client-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { body } = await ask(partner, 'GET', '/openapi.json');
    await generate({
      input: z.record(z.string(), z.unknown()).parse(body),
      output: join(folder, 'client'),
      httpClient: 'fetch',
      clientName: 'PartnerClient',
      useOptions: true,
      useUnionTypes: true,
    });
    await writeFile(join(folder, 'flow.ts'), FLOW);
    await checkTypes(join(folder, 'flow.ts'));
    const bundle = await rolldown({ input: join(folder, 'flow.ts'), platform: 'node' });
    await bundle.write({ file: join(folder, 'flow.mjs') });
    await bundle.close();
    const { run } = z
      .object({
        run: z.function({
          input: [z.string(), z.string(), z.unknown()],
          output: z.promise(z.array(z.string())),
        }),
      })
      .parse(await import(pathToFileURL(join(folder, 'flow.mjs')).href));
    expect(await run(partner.baseUrl, partner.apiKey, personOf(world.donor(7)))).toEqual([
      ...['progress completed', 'explained true', 'paid 1', 'found true', 'same true'],
      ...['exported 1', 'job completed', 'prospects true', 'compared 1', 'refused 404'],
    ]);
  });
});

async function checkTypes(file: string): Promise<void> {
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom'];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--ignoreConfig'];
  const checked = await promisify(execFile)(tsc, [...options, ...modules, file]).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }),
  );
  expect(checked.stdout).toBe('');
}

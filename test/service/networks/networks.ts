/** Sends requests about networks to a running stand-in. */

import { z } from 'zod';
import type { PartnerSandbox } from '../../../sandbox/partner/index.ts';
import { control } from '../../testbed/asking.ts';
import { ask } from '../partner.ts';

/** Creates a network and returns its ID. */
export async function createNetwork(partner: PartnerSandbox, name = 'Board', apiKey?: string) {
  const { body } = await ask(partner, 'POST', '/networks', { name, color: 'teal' }, apiKey);
  return z.object({ network_id: z.string() }).parse(body).network_id;
}

/** Adds donors to a network, one after the other. */
export async function addEach(partner: PartnerSandbox, network: string, ids: readonly string[]) {
  const statuses: number[] = [];
  for (const id of ids) {
    const answer = await ask(partner, 'POST', `/networks/${network}/members`, { donor_id: id });
    statuses.push(answer.status);
  }
  return statuses;
}

/** Starts a bulk add and returns its job's id. */
export async function startBulk(
  partner: PartnerSandbox,
  network: string,
  ids: readonly string[],
  apiKey?: string,
): Promise<string> {
  const path = `/networks/${network}/members/batch`;
  const { body } = await ask(partner, 'POST', path, { donor_ids: ids }, apiKey);
  return z.object({ job_id: z.string() }).parse(body).job_id;
}

const ids = z.array(z.string());

const jobSchema = z.object({
  job_id: z.string(),
  status: z.string(),
  progress: z.number(),
  total: z.number(),
  results: z.object({
    added_ids: ids,
    already_member_ids: ids,
    not_found_ids: ids,
    failed_ids: ids,
    unpaid_ids: ids,
  }),
});

export async function readJob(partner: PartnerSandbox, jobId: string, apiKey?: string) {
  const { body } = await ask(partner, 'GET', `/networks/jobs/${jobId}`, undefined, apiKey);
  return jobSchema.parse(body);
}

/** The maximum number of times that a test polls a job. Each poll waits briefly for the job's work. */
const MAX_LOOKS = 3_000;

/** Polls a job of the service until the job has ended. */
export async function endOfJob(partner: PartnerSandbox, jobId: string, apiKey?: string) {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const job = await readJob(partner, jobId, apiKey);
    if (job.status === 'completed' || job.status === 'failed') {
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`The job ${jobId} does not end.`);
}

const prospectsSchema = z.object({
  prospects: z.array(
    z.object({
      donor: z.object({ id: z.string() }),
      max_strength: z.number(),
      total_connections: z.number(),
    }),
  ),
});

/** Discovers prospects, and returns the prospects' IDs and strengths. */
export async function discover(partner: PartnerSandbox, body: object = {}) {
  const answer = await ask(partner, 'POST', '/networks/discover', body);
  return prospectsSchema
    .parse(answer.body)
    .prospects.map(({ donor, max_strength }) => [donor.id, max_strength]);
}

/** Returns the ids of each network's members, by the network's name. */
export async function membersByName(partner: PartnerSandbox): Promise<Record<string, string[]>> {
  const { body } = await control(partner, 'GET', '/networks');
  const { networks } = z
    .object({ networks: z.array(z.object({ name: z.string(), member_ids: ids })) })
    .parse(body);
  return Object.fromEntries(networks.map(({ name, member_ids }) => [name, member_ids]));
}

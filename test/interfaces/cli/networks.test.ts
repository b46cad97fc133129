import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PartnerSandboxOptions } from '../../../sandbox/partner/index.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const openWorld = closedAfterTest(openCliWorld);

const donorSchema = z.object({ donorId: z.string(), contacts: z.array(z.string()) });

const driftSchema = z.object({
  state: z.string(),
  renamedTo: z.string().nullable(),
  removedByHand: z.array(donorSchema),
  addedByHand: z.array(donorSchema),
  strangers: z.int().nullable(),
});

const checksSchema = z.object({
  checks: z.array(z.object({ integration: z.string(), networks: z.array(driftSchema) })),
});

const repairsSchema = z.object({
  repairs: z.array(
    z.object({
      found: z.array(driftSchema),
      done: z.array(z.object({ added: z.int(), removed: z.int(), kept: z.int() })),
      stopped: z.null(),
    }),
  ),
});

const networksSchema = z.object({
  networks: z.array(
    z.object({
      networks: z.array(
        z.object({
          name: z.string(),
          group: z.unknown(),
          members: z.int(),
          joiners: z.int(),
          failed: z.array(z.unknown()),
          readAt: z.int().nullable(),
        }),
      ),
    }),
  ),
});

const networkPlansSchema = z.object({
  plans: z.array(
    z.object({
      networks: z.array(
        z.object({
          members: z.int(),
          joiners: z.int(),
          leavers: z.int(),
          toEnhance: z.int(),
          problem: z.string().nullable(),
        }),
      ),
      warmPaths: z.object({ contacts: z.int(), queries: z.int() }),
      calls: z.object({ partner: z.int() }),
      credits: z.object({
        networks: z.object({ needed: z.int(), allowed: z.int(), remaining: z.int() }),
      }),
    }),
  ),
});

const networkHoldsSchema = z.object({
  holds: z.array(z.object({ id: z.string(), contact: z.null(), network: z.string() })),
});

const insideSchema = z.object({
  networks: z.array(
    z.object({ network_id: z.string(), name: z.string(), member_ids: z.array(z.string()) }),
  ),
});

async function atTheService({ service }: CliWorld) {
  const reply = await fetch(`${service.rootUrl}/_sandbox/networks`);
  return insideSchema.parse(await reply.json()).networks;
}

async function byHand({ service }: CliWorld, method: string, path: string, body: unknown) {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Opens a client whose column "Role" shows who is in the network. The first sixteen contacts are members. */
async function open(service: PartnerSandboxOptions = {}): Promise<CliWorld> {
  const here = await openWorld({
    people: 24,
    service: { networkJobTimeMs: 0, ...service },
    settings: '    networks: [{ name: Board, group: { column: Role, equals: board } }]',
  });
  await putOnBoard(here, (at) => at < 16);
  return here;
}

async function putOnBoard(here: CliWorld, isOn: (at: number) => boolean): Promise<void> {
  const rows = await here.rows();
  await here.saveRows(rows.map((row, at) => ({ ...row, Role: isOn(at) ? 'board' : '' })));
}

describe('donor-sync networks', () => {
  it('tells beforehand what a sync does, and shows it afterwards', async () => {
    const here = await open();
    const [plan] = (await here.runJson(['plan'], networkPlansSchema)).plans;
    expect(plan).toEqual({
      networks: [{ members: 0, joiners: 0, leavers: 0, toEnhance: 16, problem: null }],
      warmPaths: { contacts: 24, queries: 1 },
      // The run sends six calls for the submission, its progress, its results (three times) and the balance. It sends
      // four calls for the network with a bulk add, and two calls for the warm paths.
      calls: { partner: 6 + 4 + 2 },
      credits: { networks: { needed: 16, allowed: 16, remaining: 100_000 } },
    });
    const before = await here.runJson(['networks'], networksSchema);
    expect(before.networks[0]?.networks).toMatchObject([
      { name: 'Board', group: { column: 'Role', equals: 'board' }, members: 0, readAt: null },
    ]);
    expect((await here.run(['networks'])).stdout).toContain(
      'Board    column "Role" equals "board"',
    );

    const [run] = (await here.runJson(['sync'], runsSchema)).runs;
    const [network] = await atTheService(here);
    const members = network?.member_ids.length ?? 0;
    expect(members).toBeGreaterThan(8);
    expect(run?.networks).toEqual([
      { name: 'Board', added: members, removed: 0, kept: 0, failed: 0 },
    ]);
    expect(run?.credits.networks).toEqual({ spent: members, remaining: 100_000 - members });
    const after = await here.runJson(['networks'], networksSchema);
    expect(after.networks[0]?.networks).toMatchObject([{ members, joiners: 0, failed: [] }]);
    const { stdout } = await here.run(['plan']);
    expect(stdout).toMatch(/To enhance\nBoard +\d+ +0 +0 +0\n/);
    expect(stdout).toContain('  Credits: none needed, ');
    expect(stdout).not.toContain(' would be spent');
  });

  it('finds what was changed by hand, and repairs it when asked to', async () => {
    const here = await open();
    await here.run(['sync']);
    const fine = await here.run(['networks', 'check']);
    expect(fine).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('as mirrored') });

    const [network] = await atTheService(here);
    const [gone = '', ...others] = network?.member_ids ?? [];
    const rows = await here.rows();
    const outsider = rows
      .map((row) => row['Donor ID'] ?? '')
      .find((id) => id !== '' && id !== gone && !others.includes(id));
    const path = `/networks/${network?.network_id}`;
    await byHand(here, 'POST', `${path}/members/remove`, { donor_ids: [gone] });
    await byHand(here, 'POST', `${path}/members`, { donor_id: outsider });
    await byHand(here, 'PUT', path, { name: 'Trustees' });

    const check = await here.run(['networks', 'check', 'riverside', '--json']);
    expect(check.exitCode).toBe(3);
    const [found] = checksSchema.parse(JSON.parse(check.stdout)).checks[0]?.networks ?? [];
    expect(found).toMatchObject({ state: 'present', renamedTo: 'Trustees', strangers: 0 });
    expect(found?.removedByHand.map(({ donorId }) => donorId)).toEqual([gone]);
    expect(found?.addedByHand.map(({ donorId }) => donorId)).toEqual([outsider]);
    expect(found?.removedByHand[0]?.contacts.length).toBeGreaterThan(0);

    const unasked = await here.run(['networks', 'repair']);
    expect(unasked.exitCode).toBe(2);
    expect((await atTheService(here))[0]?.name).toBe('Trustees');

    const { repairs } = await here.runJson(['networks', 'repair', '--yes'], repairsSchema);
    expect(repairs[0]?.done).toEqual([{ added: 1, removed: 1, kept: others.length }]);
    const [repaired] = await atTheService(here);
    expect(repaired?.name).toBe('Board');
    expect(repaired?.member_ids.sort()).toEqual([gone, ...others].sort());
    expect((await here.run(['networks', 'check'])).exitCode).toBe(0);
  });

  it('shows who can introduce which contact, above a strength', async () => {
    const here = await open();
    await here.run(['sync']);
    const schema = z.object({
      paths: z.array(z.object({ contact: z.string(), strength: z.number().nullable() })),
      total: z.int(),
    });
    const { paths, total } = await here.runJson(['networks', 'introductions'], schema);
    expect(paths.length).toBeGreaterThan(0);
    const { stdout } = await here.run(['networks', 'introductions', 'riverside']);
    expect(stdout).toContain(paths[0]?.contact);
    expect(stdout).toContain(`${total} contact`);
    const strong = await here.runJson(['networks', 'introductions', '--weakest', '90'], schema);
    const strengths = strong.paths.flatMap(({ strength }) => strength ?? []);
    expect(strengths.filter((strength) => strength < 0.9)).toEqual([]);
    const wrong = await here.run(['networks', 'introductions', '--weakest', '10']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--weakest') });
  });

  it('fails for a client that is not there before it asks about any other', async () => {
    const here = await open();
    await here.run(['sync']);
    const before = await here.requests();
    const refused = await here.run(['networks', 'check', 'riverside', 'harbor']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('There is no client "harbor"');
    expect(await here.requests()).toEqual(before);
  });

  it('says that questions cost credits before it asks them', async () => {
    const here = await open({ chargeQueries: true });
    await here.run(['sync']);
    const refused = await here.run(['networks', 'check']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--spend');
    expect((await here.run(['networks', 'check', '--spend'])).exitCode).toBe(0);
  });

  it('lets a person decide about a group that lost most of its people', async () => {
    const here = await open();
    await here.run(['sync']);
    const [before] = await atTheService(here);
    await putOnBoard(here, (at) => at < 2);
    const { plans } = await here.runJson(['plan'], networkPlansSchema);
    expect(plans[0]?.networks[0]?.problem).toContain('members would leave');
    await here.run(['sync']);
    expect((await atTheService(here))[0]?.member_ids).toEqual(before?.member_ids);

    const { holds } = await here.runJson(['holds'], networkHoldsSchema);
    expect(holds).toMatchObject([{ network: 'Board' }]);
    const id = holds[0]?.id ?? '';
    expect((await here.run(['holds', 'resubmit', id])).exitCode).toBe(2);
    const approved = await here.run(['holds', 'approve', id.slice(-8)]);
    expect(approved.stdout).toContain('1 hold about networks approved');
    await here.run(['sync']);
    expect((await atTheService(here))[0]?.member_ids.length).toBeLessThanOrEqual(2);
    expect((await here.run(['holds', 'reject', id])).stderr).toContain('was approved on');
  });

  it('says of a group that cannot be read what to do instead of approving', async () => {
    const here = await open();
    await here.run(['sync']);
    const rows = await here.rows();
    await here.saveRows(rows.map(({ Role: _role, ...row }) => row));
    expect((await here.run(['sync'])).exitCode).toBe(0);
    const { holds } = await here.runJson(['holds'], networkHoldsSchema);
    const refused = await here.run(['holds', 'approve', holds[0]?.id ?? '']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Correct the group in the CRM');
  });
});

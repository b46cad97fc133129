import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, holdsSchema, plansSchema, runsSchema } from './documents.ts';
import { otherNames, STRANGER } from './other-names.ts';
import { readShownHolds } from './shown-names.ts';

const open = closedAfterTest(openCliWorld);

describe('donor-sync holds', () => {
  it('lets a person approve, reject or resubmit what is held', async () => {
    const names = otherNames();
    const here = await open(names.options);
    await names.come(here);

    const holds = await readShownHolds(here);
    const [approved, rejected, resubmitted] = holds;
    if (!approved || !rejected || !resubmitted) throw new Error(`only ${holds.length} holds`);
    expect(approved).toMatchObject({ kind: 'name_mismatch' });
    expect(approved.names.contact).toContain(STRANGER);
    expect(approved.names.profile).toMatch(/\w/);
    expect(approved.names.profile).not.toContain(STRANGER);

    const typo = await here.run(['holds', 'aprove', approved.id]);
    expect(typo.exitCode).toBe(2);
    expect(typo.stderr).toContain('did you mean "approve"?');
    const unknown = await here.run(['holds', 'reject', rejected.id, 'ffffffff-unknown']);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('no decision "ffffffff-unknown"');
    expect((await here.runJson(['holds'], holdsSchema)).holds).toHaveLength(holds.length);

    await here.run(['holds', 'approve', approved.id.slice(-8)]);
    await here.run(['holds', 'reject', rejected.id]);
    const { stdout } = await here.run(['holds', 'resubmit', resubmitted.id]);
    expect(stdout).toContain('spends 1 credit');

    const { plans } = await here.runJson(['plan'], plansSchema);
    expect(plans[0]?.enhance).toEqual({ resubmitted_by_person: 1 });
    expect(plans[0]?.waiting.changes).toContainEqual(
      expect.objectContaining({ crmId: approved.contact, field: 'Donor ID', from: null }),
    );

    const spentBefore = await here.spent();
    await here.run(['sync']);
    expect(await here.spent()).toBe(spentBefore + 1);
    const rows = await here.rows();
    const donorOf = (id: string) => rows.find((row) => row['Id'] === id)?.['Donor ID'];
    expect(donorOf(approved.contact)).toMatch(/^[0-9a-f]{32}$/);
    expect(donorOf(rejected.contact)).toBe('');
    const left = (await here.runJson(['holds'], holdsSchema)).holds;
    const decided = [approved.id, rejected.id, resubmitted.id];
    // The service may know the resubmitted contact by its new last name, for example after a marriage. It is then
    // submitted again.
    const again = left.filter(({ contact }) => contact === resubmitted.contact);
    expect(left.filter(({ id }) => decided.includes(id))).toEqual([]);
    expect(left.length - again.length).toBe(holds.length - 3);
  });

  it('shows the kept profile once the service no longer has it, and none of a contact that objects', async () => {
    const names = otherNames();
    const here = await open(names.options);
    await names.come(here);
    await here.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    const before = await readShownHolds(here);
    expect(before.length).toBeGreaterThan(2);
    for (const each of before) {
      expect(each.names).toMatchObject({ profile: expect.stringMatching(/\w/), problem: '' });
      expect(each.names.profile).not.toContain(STRANGER);
    }
    const [{ contact: objector } = { contact: '' }] = before;
    const settings = await readFile(here.path('donor-sync.yaml'), 'utf8');
    const contacts = `\n    contacts: { objections: [${JSON.stringify(objector)}] }\n`;
    await writeFile(here.path('donor-sync.yaml'), settings + contacts);
    const after = await readShownHolds(here);
    expect(after.find(({ contact }) => contact === objector)?.names).toMatchObject({
      ...{ profile: '', problem: 'the contact has opted out: its profile is not shown' },
    });
    expect(after.filter(({ names }) => names.profile !== '')).toHaveLength(before.length - 1);
  });

  it('has nothing to approve after a lost answer, and says what can be done', async () => {
    const here = await open({ people: 3 });
    await here.putFaults([{ on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } }]);
    const sync = await here.run(['sync', '--json']);
    expect(runsSchema.parse(JSON.parse(sync.stdout)).runs[0]?.contacts.held).toBe(3);
    const { holds } = await here.runJson(['holds'], holdsSchema);
    expect(holds.map(({ kind }) => kind)).toEqual(['lost_answer', 'lost_answer', 'lost_answer']);

    const ids = holds.map(({ id }) => id);
    const refused = await here.run(['holds', 'approve', ...ids, '--json']);
    expect(refused.exitCode).toBe(2);
    const { error } = errorSchema.parse(JSON.parse(refused.stdout));
    expect(error.message).toContain('donor-sync holds resubmit');

    await here.run(['holds', 'resubmit', ...ids]);
    await here.run(['sync']);
    expect(await here.spent()).toBe(6);
    const again = await here.run(['holds', 'reject', ...ids]);
    expect(again.stderr).toContain('was resubmitted on');
  });
});

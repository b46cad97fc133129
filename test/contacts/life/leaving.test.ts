import { expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { reconsiderContacts } from '../../../src/contacts/reconsidering.ts';
import { recordRefusedSubmission } from '../../../src/credits/statements/answers.ts';
import { recordDecision } from '../../../src/decisions/statements/questions.ts';
import { INTEGRATION, RUN, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import {
  chargeLoss,
  choose,
  contactOf,
  holdForName,
  holdOf,
  readContact,
  readPage,
  start,
  submit,
} from '../contact-stages.ts';
import { endJob, refuse, remove } from './life-stages.ts';

describeEachDatabase('a contact that leaves while work for it is under way', (open) => {
  const createWorld = storeWorlds(open);

  it('stays held while its question is open, although the plan lets it go on', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await readPage(world, [readContact('c-1', 'another spelling')], { kind: 'resume' });
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'settled', tracking_id: null });
  });

  it('is known to have opted out while its submission was under way that cost nothing', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await readPage(world, [{ ...readContact('c-1'), optedOut: true }], { kind: 'keep' });
    await refuse(world);
    expect(await contactOf(world, 'c-1')).toMatchObject({ has_opted_out: 1 });
    expect(await contactOf(world, 'c-2')).toMatchObject({ has_opted_out: 0 });
    await readPage(world, [readContact('c-1')], choose());
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due', has_opted_out: 0 });
  });

  it.each([
    ['its job fails', (world: StoreWorld) => endJob(world, 'failed')],
    ['its job is gone', (world: StoreWorld) => endJob(world, 'vanished')],
  ])('is gone if it left the CRM while its job ran, and %s', async (_, end) => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2', 'c-3']);
    await remove(world, 'c-1', null);
    await remove(world, 'c-2', null);
    // The contact returns before its job ends.
    await readPage(world, [readContact('c-2')], { kind: 'keep' });
    await end(world);
    const rows = await findContacts(world.store.reader, INTEGRATION, ['c-1', 'c-2', 'c-3']);
    expect([...rows.values()].map(({ state }) => state)).toEqual(['removed', 'settled', 'settled']);
    expect(rows.get('c-1')).toMatchObject({ outcomeReason: 'deleted_in_crm', trackingId: null });
  });

  it('is gone if it left the CRM while its answer was lost, and a person asks for it again', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await remove(world, 'c-1', null);
    await chargeLoss(world, 'hold', { charged: 2 });
    for (const id of ['c-1', 'c-2']) {
      await recordDecision(world.store, await holdOf(world, id), 'resubmitted');
    }
    const gone = { state: 'removed', outcome_reason: 'deleted_in_crm', tracking_id: null };
    expect(await contactOf(world, 'c-1')).toMatchObject({ ...gone, due_reason: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due' });
  });

  it('is gone if it left the CRM while it was submitted, and nothing was charged', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await remove(world, 'c-1', null);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-1'),
    );
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due' });
  });

  it('is thought about again with the details that it got while its answer was lost, although a person rejects that', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    // The CRM does not report this change a second time.
    await readPage(world, [readContact('c-1', 'another street')], { kind: 'keep' });
    await chargeLoss(world, 'hold', { charged: 2 });
    for (const id of ['c-1', 'c-2']) {
      await recordDecision(world.store, await holdOf(world, id), 'rejected');
    }
    const reconsidered: string[] = [];
    await reconsiderContacts(world.store, world.lease, RUN, 1, ({ crmId }) => {
      reconsidered.push(crmId);
      return { kind: 'choose', reason: 'identity_changed', priority: 2 };
    });
    expect(reconsidered).toEqual(['c-1']);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due', last_credit: 'outdated' });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'settled',
      last_credit: 'stands',
    });
  });

  it('is gone if it left the CRM while its answer was lost, and a person rejects to ask again', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await remove(world, 'c-1', null);
    await remove(world, 'c-2', null);
    await chargeLoss(world, 'hold', { charged: 2 });
    // The contact returns before a user decides.
    await readPage(world, [readContact('c-2')], { kind: 'keep' });
    for (const id of ['c-1', 'c-2']) {
      await recordDecision(world.store, await holdOf(world, id), 'rejected');
    }
    expect(await contactOf(world, 'c-1')).toMatchObject({
      ...{ state: 'removed', outcome_reason: 'deleted_in_crm', tracking_id: null },
      outcome_detail: null,
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'settled', outcome_reason: 'rejected_by_person', eligible: 1 },
    });
  });
});

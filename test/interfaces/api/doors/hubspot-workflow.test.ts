/** Tests HubSpot's workflow action. The action marks contacts up to the daily limit, and then creates one decision. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { signatureHeaders } from '../../../../sandbox/hubspot/webhooks/signature.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { decideQuestion } from '../../../../src/decisions/decide.ts';
import { listDueErasures } from '../../../../src/decisions/statements/erasure-requests.ts';
import { listOpenQuestions } from '../../../../src/decisions/statements/questions.ts';
import { crmAtDoor } from '../../../../src/interfaces/api/doors/door-caller.ts';
import { createWorkflowLimits } from '../../../../src/interfaces/api/doors/workflow-limits.ts';
import { createAddressBook } from '../../../../src/interfaces/api/request/address-book.ts';
import { toOperationDeps } from '../../../../src/interfaces/api/request/caller.ts';
import { createLog } from '../../../../src/interfaces/cli/terminal/log.ts';
import { enrolContact } from '../../../../src/operations/doors/enrol.ts';
import { perform } from '../../../../src/operations/kit/perform.ts';
import { listRunRequests } from '../../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { describeEachDatabase, urlOfThisRun } from '../../../helpers/test-databases.ts';
import { type HttpWorldOptions, openHttpWorld } from '../http-world.ts';
import { openHubspotWorld } from './hubspot-world.ts';

const open = closedAfterTest(openHubspotWorld);
const openPlain = closedAfterTest(async (options: HttpWorldOptions = {}) => {
  const database = await urlOfThisRun();
  return openHttpWorld({ ...options, ...(database !== undefined && { database }) });
});

const replySchema = z.object({ outputFields: z.record(z.string(), z.string()) });

function stateIn(answer: string): string | undefined {
  return replySchema.parse(JSON.parse(answer)).outputFields['donor_sync_state'];
}

/** Opens a service with a pinned portal. No further runs start. */
async function openPinned(workflowPerDay: number) {
  const world = await open({ contacts: 4, workflowPerDay, integration: { budget: { perRun: 0 } } });
  await world.syncAll();
  await world.runner.stop();
  return { world, contacts: await world.contactsOf() };
}

describeEachDatabase('an event of the app', () => {
  it('that a contact was deleted for privacy requests its erasure, only if HubSpot has signed it', async () => {
    const { world, contacts } = await openPinned(9);
    const [one = ''] = contacts;
    const url = `${world.url}/doors/hubspot/events`;
    const { portalId, clientSecret } = world.hubspot;
    const event = { subscriptionType: 'contact.privacyDeletion', objectId: Number(one), portalId };
    const body = JSON.stringify([event]);
    const post = (secret: string) => {
      const signed = { method: 'POST', url, body, timestampMs: Date.now() };
      return fetch(url, { method: 'POST', headers: signatureHeaders(secret, signed), body });
    };
    expect((await post('another secret')).status).toBe(401);
    expect(await listDueErasures(world.application.store.reader, 'riverside', 9)).toEqual([]);
    expect((await post(clientSecret)).status).toBe(202);
    const due = await listDueErasures(world.application.store.reader, 'riverside', 9);
    expect(due.map(({ crmId }) => crmId)).toEqual([one]);
  });
});

describeEachDatabase('the workflow action', () => {
  it('marks each contact once, however often the call is repeated, and asks one question beyond the limit', async () => {
    const { world, contacts } = await openPinned(2);
    const [one = '', two = '', three = '', four = ''] = contacts;
    const { reader } = world.application.store;
    for (const repetition of ['first', 'repeated']) {
      const { status, answer } = await world.enrol(one, 'callback-1');
      expect([repetition, status, stateIn(answer)]).toEqual([repetition, 200, 'wanted']);
    }
    expect(stateIn((await world.enrol(two, 'callback-2')).answer)).toBe('wanted');
    const beyond = await world.enrol(three, 'callback-3');
    expect(replySchema.parse(JSON.parse(beyond.answer)).outputFields).toEqual({
      donor_sync_state: 'limit',
      hs_execution_state: 'FAIL_CONTINUE',
    });
    expect(stateIn((await world.enrol(four, 'callback-4')).answer)).toBe('limit');
    const waiting = await listRunRequests(reader);
    expect(waiting.map(({ contact }) => contact).toSorted()).toEqual([one, two].toSorted());
    const questions = await listOpenQuestions(reader, 'riverside');
    expect(questions).toMatchObject([{ kind: 'workflow_limit', detail: '1' }]);
    // A user allows more contacts for this day.
    const [question] = questions;
    if (question === undefined) throw new Error('no question');
    expect(await decideQuestion(world.application.store, question, 'approve')).toBe(true);
    await expect
      .poll(async () => stateIn((await world.enrol(four, 'callback-4')).answer), { timeout: 9_000 })
      .toBe('wanted');
    expect(await listOpenQuestions(reader, 'riverside')).toEqual([]);
  });

  it('starts nothing for a call that was answered days ago and is sent again, because its signature has no time', async () => {
    let later = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + later };
    const world = await open({ contacts: 2, clock, integration: { budget: { perRun: 0 } } });
    await world.syncAll();
    const [one = '', two = ''] = await world.contactsOf();
    const { store } = world.application;
    const runsOf = async () => {
      const waiting = await listRunRequests(store.reader);
      const { runs } = await store.reader
        .selectFrom('runs')
        .select((eb) => eb.fn.countAll().as('runs'))
        .executeTakeFirstOrThrow();
      return waiting.length + Number(runs);
    };
    const before = await runsOf();
    expect(stateIn((await world.enrol(one, 'callback-1')).answer)).toBe('wanted');
    await expect.poll(runsOf).toBe(before + 1);
    later = 2 * 86_400_000;
    expect(stateIn((await world.enrol(one, 'callback-1')).answer)).toBe('wanted');
    // The same execution marks a different contact, so the mark counts towards the limit.
    expect(stateIn((await world.enrol(two, 'callback-1')).answer)).toBe('wanted');
    await expect.poll(runsOf).toBe(before + 2);
    const { marks } = await store.reader
      .selectFrom('door_marks')
      .select((eb) => eb.fn.countAll().as('marks'))
      .executeTakeFirstOrThrow();
    expect(Number(marks)).toBe(2);
  });

  it('takes only a signature of version 2, of the pinned portal, about a contact of the client', async () => {
    const { world, contacts } = await openPinned(9);
    const [one = ''] = contacts;
    for (const signature of ['v1', 'wrong', 'missing']) {
      expect((await world.enrol(one, 'callback-1', { signature })).status).toBe(401);
    }
    expect((await world.enrol(one, 'callback-1', { portalId: 1 })).status).toBe(403);
    expect(stateIn((await world.enrol('999', 'callback-2')).answer)).toBe('unknown');
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });

  it('enrols at most the limit of 100,000 contacts, and asks one question with their number', async () => {
    const world = await openPlain({ isIdle: true });
    const [contact = ''] = await world.addPeople(1);
    const { application, runner, clock, url } = world;
    const given = { publicUrl: url, hasOwnUrl: false };
    const deps = {
      ...{ application, runner, clock, version: '0', lastTickAt: () => null },
      log: createLog('error', { write: () => {}, stepAside: () => () => {} }),
      address: createAddressBook({ reader: application.store.reader, clock }, given),
      stopping: new AbortController().signal,
    };
    const limits = createWorkflowLimits(deps);
    const [client] = application.select(['riverside']);
    if (client === undefined) throw new Error('no client');
    const at = { integrationId: 'riverside', name: 'HubSpot', from: '192.0.2.1' };
    const caller = crmAtDoor(at);
    const states = new Map<string, number>();
    for (let call = 0; call < 100_000; call += 1) {
      const state = await limits.within(client, caller, { contact, isOwn: true }, async () => {
        const execution = `execution-${call}`;
        const input = { integration: 'riverside', contact, execution, limit: 100 };
        return (await perform(toOperationDeps(deps), caller, enrolContact, input)).state;
      });
      states.set(state, (states.get(state) ?? 0) + 1);
    }
    await limits.flush();
    expect(Object.fromEntries(states)).toEqual({ wanted: 100, limit: 99_900 });
    const questions = await listOpenQuestions(application.store.reader);
    expect(questions).toMatchObject([{ kind: 'workflow_limit', detail: '99900' }]);
    expect(await listRunRequests(application.store.reader)).toHaveLength(1);
  });
});

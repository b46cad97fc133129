/** Tests HubSpot's door with two clients. The clients use two portals, or filters divide the contacts of one portal. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { listOpenQuestions } from '../../../../src/decisions/statements/questions.ts';
import { listRunRequests } from '../../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';
import { aContactHold } from '../../../helpers/question-rows.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import { edit } from '../../../testbed/asking.ts';
import { errorSchema } from '../http-world.ts';
import { join, send } from '../people-world.ts';
import {
  type Forgery,
  type HubspotWorld,
  type HubspotWorldOptions,
  openHubspotWorld,
  peopleOf,
  startPortal,
} from './hubspot-world.ts';

const open = closedAfterTest(openHubspotWorld);
const openPortal = closedAfterTest((contacts?: number) =>
  startPortal(contacts ?? 0, { portalId: OTHER_PORTAL }),
);

const OTHER_PORTAL = 50_000_001;
const OTHER = 'hillside';

const replySchema = z.object({ outputFields: z.object({ donor_sync_state: z.string() }) });

function codeIn(answer: string): string {
  return errorSchema.parse(JSON.parse(answer)).error.code;
}

async function stateOf(sent: ReturnType<HubspotWorld['enrol']>): Promise<string> {
  return replySchema.parse(JSON.parse((await sent).answer)).outputFields.donor_sync_state;
}

/** Syncs both clients. No credit has been spent, and no further runs start. */
async function openPinned(options: HubspotWorldOptions): Promise<HubspotWorld> {
  const world = await open({ integration: { budget: { perRun: 0 } }, ...options });
  await world.syncAll();
  await world.syncAll(OTHER);
  await world.runner.stop();
  return world;
}

/** Returns the client and the contact of each request. */
async function listMarked({ application: { store } }: HubspotWorld): Promise<unknown[]> {
  const waiting = await listRunRequests(store.reader);
  return waiting.map(({ integrationId, contact }) => [integrationId, contact]).toSorted();
}

/**
 * Opens two portals with the same app. Their contacts have the same IDs, but the second portal has an additional
 * contact.
 */
async function openPortals() {
  const portal = await openPortal(3);
  const second = { id: OTHER, hubspot: portal, settings: { budget: { perRun: 0 } } };
  const world = await openPinned({ contacts: 2, second });
  const own = await world.contactsOf();
  const foreign = (await world.contactsOf(OTHER)).find((id) => !own.includes(id)) ?? '';
  return { world, shared: own[0] ?? '', foreign };
}

/** Opens one portal. The filters of two clients divide its contacts. */
async function openShared(workflowPerDay = 100) {
  const filterBy = (value: string) => ({
    contacts: { filter: JSON.stringify([{ propertyName: 'jobtitle', operator: 'EQ', value }]) },
    budget: { perRun: 0 },
  });
  const world = await openPinned({
    contacts: 6,
    workflowPerDay,
    integration: filterBy('Trustee'),
    second: { id: OTHER, hubspot: 'same', settings: filterBy('Volunteer') },
    async prepare(hubspot) {
      for (const [index, id] of (await peopleOf(hubspot)).entries()) {
        const jobtitle = index % 2 === 0 ? 'Trustee' : 'Volunteer';
        await edit(hubspot, { action: 'update', id, values: { jobtitle } });
      }
    },
  });
  const [own, others] = [await world.contactsOf(), await world.contactsOf(OTHER)];
  expect([own.length, others.length]).toEqual([3, 3]);
  return { world, own, others };
}

describeEachDatabase('a door of two clients', () => {
  it('a linked user of one portal reaches no contact of the other portal, whatever the call names', async () => {
    const { world, shared, foreign } = await openPortals();
    await world.linkAs('Ada', 'admin', shared);
    const tries: [string, string, Forgery, [number, string]][] = [
      ['the contact of the other portal', foreign, {}, [404, 'contact_unknown']],
      ['the other portal', foreign, { portalId: OTHER_PORTAL }, [403, 'door_user_unlinked']],
      ["a portal that is nobody's", foreign, { portalId: 7 }, [403, 'door_account_unknown']],
    ];
    for (const [what, contact, forgery, refusal] of tries) {
      for (const [path, more] of [
        ['wanted', {}],
        ['answer', { question: 'any', decision: 'approve' }],
      ] as const) {
        const { status, answer } = await world.card(
          path,
          { key: 'click-0001', contact, ...more },
          forgery,
        );
        expect([what, path, status, codeIn(answer)]).toEqual([what, path, ...refusal]);
      }
    }
    const unseen = await world.card('contact', { key: 'load-0001', contact: foreign });
    expect([unseen.status, codeIn(unseen.answer)]).toEqual([404, 'contact_unknown']);
    const other = await world.show(foreign, { portalId: OTHER_PORTAL });
    expect(other).toMatchObject({ user: { isLinked: false }, contact: { values: null } });
    expect(await listMarked(world)).toEqual([]);
    // Both portals contain a contact with this ID. The call concerns the contact in the caller's portal.
    expect((await world.card('wanted', { key: 'click-0002', contact: shared })).status).toBe(202);
    expect(await listMarked(world)).toEqual([['riverside', shared]]);
  });

  it('a workflow of one portal marks contacts of that portal alone', async () => {
    const { world, shared, foreign } = await openPortals();
    expect(await stateOf(world.enrol(foreign, 'callback-1'))).toBe('unknown');
    expect(await listMarked(world)).toEqual([]);
    expect(await stateOf(world.enrol(shared, 'callback-2', { portalId: OTHER_PORTAL }))).toBe(
      'wanted',
    );
    expect(await listMarked(world)).toEqual([[OTHER, shared]]);
  });

  it('in a shared portal, a user with access to one client acts on its contacts, and on no others', async () => {
    const { world, own, others } = await openShared();
    const [contact = ''] = own;
    const [foreign = ''] = others;
    const eve = await join(world, 'Eve', 'admin', [OTHER]);
    const { link } = await world.show(foreign);
    const path = (link ?? '').slice(world.url.length);
    expect((await send(world, path, {}, { cookie: eve.cookie })).status).toBe(303);
    const refused = await world.card('wanted', { key: 'click-0001', contact });
    expect([refused.status, codeIn(refused.answer)]).toEqual([403, 'door_user_unlinked']);
    const { contact: hidden } = await world.show(contact);
    expect(hidden).toMatchObject({ values: null, mayEnhance: false, integration: 'riverside' });
    const { contact: shown } = await world.show(foreign);
    expect(shown).toMatchObject({ mayEnhance: true, integration: OTHER });
    expect(shown.values?.name).toBeTruthy();
    const taken = await world.card('wanted', { key: 'click-0002', contact: foreign });
    expect(taken.status, taken.answer).toBe(202);
    expect(await listMarked(world)).toEqual([[OTHER, foreign]]);
  });

  it('in a shared portal, a contact of both clients is shown and marked for the client that the user has access to', async () => {
    const world = await openPinned({
      contacts: 1,
      second: { id: OTHER, hubspot: 'same', settings: { budget: { perRun: 0 } } },
    });
    const [contact = ''] = await world.contactsOf();
    const eve = await join(world, 'Eve', 'admin', ['riverside']);
    const { link } = await world.show(contact);
    const path = (link ?? '').slice(world.url.length);
    expect((await send(world, path, {}, { cookie: eve.cookie })).status).toBe(303);
    const { contact: shown } = await world.show(contact);
    expect(shown).toMatchObject({ mayEnhance: true, integration: 'riverside' });
    expect((await world.card('wanted', { key: 'click-0001', contact })).status).toBe(202);
    expect(await listMarked(world)).toEqual([['riverside', contact]]);
  });

  it("in a shared portal, each client's contacts count towards its own limit of the day", async () => {
    const { world, own, others } = await openShared(2);
    const enrol = (contact: string) => stateOf(world.enrol(contact, `callback-${contact}`));
    const states = async (contacts: readonly string[]) => {
      const found: string[] = [];
      for (const contact of contacts) found.push(await enrol(contact));
      return found;
    };
    expect(await states(own)).toEqual(['wanted', 'wanted', 'limit']);
    expect(await states(others)).toEqual(['wanted', 'wanted', 'limit']);
    // A contact that belongs to neither client does not count towards a limit.
    expect(await enrol('999')).toBe('unknown');
    const marked = [...own.slice(0, 2), ...others.slice(0, 2)];
    const contacts = (await listMarked(world)).map(
      (one) => z.tuple([z.string(), z.string()]).parse(one)[1],
    );
    expect(contacts.toSorted()).toEqual(marked.toSorted());
    for (const client of ['riverside', OTHER]) {
      const questions = await listOpenQuestions(world.application.store.reader, client);
      expect([client, questions]).toMatchObject([
        client,
        [{ kind: 'workflow_limit', detail: '1' }],
      ]);
    }
  });

  it('in a shared portal, a question of the second client is answered from the card of its contact', async () => {
    const { world, others } = await openShared();
    const [contact = ''] = others;
    const question = aContactHold({ id: 'held', integrationId: OTHER, crmId: contact });
    await world.application.store.act(async (trx) => {
      await trx
        .insertInto('questions')
        .values({
          ...{ id: question.id, integration_id: OTHER, crm_id: contact, kind: question.kind },
          ...{ tracking_id: 't', detail: question.detail, opened_at: 2 },
        })
        .execute();
    });
    await world.linkAs('Dee', 'decider', contact);
    const answer = { key: 'click-0001', contact, question: question.id, decision: 'approve' };
    const { status, answer: text } = await world.card('answer', answer);
    expect(status, text).toBe(200);
    expect(await listOpenQuestions(world.application.store.reader)).toEqual([]);
  });
});

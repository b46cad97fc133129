import { expect, it } from 'vitest';
import {
  acceptInvitation,
  addInvitedPerson,
  deletePerson,
  findInvitedPerson,
  findPersonBy,
  hasJoinedPerson,
  listPersonRecords,
  type Rights,
  recordSubject,
  renewInvitation,
  savePassword,
  saveRights,
  setPersonDisabled,
} from '../../../src/people/statements/people.ts';
import { addSession, resumeSession } from '../../../src/people/statements/sessions.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const WEEK_MS = 7 * 86_400_000;
const OWNER: Rights = { role: 'owner', integrations: null };
const VIEWER: Rights = { role: 'viewer', integrations: ['riverside'] };

describeEachDatabase('people', (open) => {
  const createWorld = storeWorlds(open);

  async function withPeople(people: Record<string, Rights>) {
    const world = await createWorld();
    const { store } = world;
    for (const [id, rights] of Object.entries(people)) {
      const person = { id, email: `email of ${id}`, sealed: 'sealed', ...rights };
      const invitation = { hash: `link of ${id}`, until: START_MS + WEEK_MS };
      expect(await store.act((trx) => addInvitedPerson(trx, person, invitation))).toBe(true);
    }
    return world;
  }

  it('are invited once by an address, and join once by a link', async () => {
    const { store } = await withPeople({ anna: VIEWER });
    const again = { id: 'other', email: 'email of anna', sealed: 'sealed', ...VIEWER };
    expect(
      await store.act((trx) => addInvitedPerson(trx, again, { hash: 'x', until: START_MS + 1 })),
    ).toBe(false);
    expect(await hasJoinedPerson(store.reader)).toBe(false);
    expect(await store.act((trx) => acceptInvitation(trx, 'no link', 'password'))).toBeNull();
    expect(await findInvitedPerson(store.reader, 'link of anna')).toMatchObject({
      id: 'anna',
      ...VIEWER,
    });
    expect(await store.act((trx) => acceptInvitation(trx, 'link of anna', 'first'))).toMatchObject({
      joinedAt: START_MS,
    });
    expect(await store.act((trx) => acceptInvitation(trx, 'link of anna', 'second'))).toBeNull();
    expect(await findInvitedPerson(store.reader, 'link of anna')).toBeNull();
    expect(await findPersonBy(store.reader, 'email', 'email of anna')).toMatchObject({
      password: 'first',
    });
    expect(await hasJoinedPerson(store.reader)).toBe(true);
  });

  it('join by no link that is older than its time, or of a person who was disabled', async () => {
    const { store, clock } = await withPeople({ anna: VIEWER, ben: VIEWER });
    expect(await store.act((trx) => setPersonDisabled(trx, 'ben', true))).toBe('done');
    await store.act((trx) =>
      renewInvitation(trx, 'ben', { hash: 'new link of ben', until: START_MS + WEEK_MS }),
    );
    expect(
      await store.act((trx) => acceptInvitation(trx, 'new link of ben', 'password')),
    ).toBeNull();
    await clock.advance(WEEK_MS);
    expect(await findInvitedPerson(store.reader, 'link of anna')).toBeNull();
    expect(await store.act((trx) => acceptInvitation(trx, 'link of anna', 'password'))).toBeNull();
  });

  it('get a new link that ends the one before', async () => {
    const { store } = await withPeople({ anna: VIEWER });
    await store.act((trx) =>
      renewInvitation(trx, 'anna', { hash: 'second', until: START_MS + WEEK_MS }),
    );
    expect(await store.act((trx) => acceptInvitation(trx, 'link of anna', 'password'))).toBeNull();
    expect(await store.act((trx) => acceptInvitation(trx, 'second', 'password'))).not.toBeNull();
    expect(
      await store.act((trx) => renewInvitation(trx, 'no one', { hash: 'third', until: 1 })),
    ).toBe(false);
  });

  it('lose their sessions with their rights to come in, and their others with a new password', async () => {
    const { store } = await withPeople({ anna: OWNER, ben: VIEWER });
    await store.act((trx) => acceptInvitation(trx, 'link of anna', 'password'));
    const signIn = (personId: string, ...ids: string[]) =>
      Promise.all(
        ids.map((id) =>
          store.act((trx) => addSession(trx, { hash: id, id, browser: null }, { personId })),
        ),
      );
    await signIn('anna', 'a1', 'a2');
    await signIn('ben', 'b1');
    expect(await resumeSession(store.connection, 'a1')).toMatchObject({
      owner: { person: { id: 'anna' } },
    });
    await store.act((trx) => savePassword(trx, 'anna', 'another', 'a2'));
    expect(await resumeSession(store.connection, 'a1')).toBeNull();
    expect(await resumeSession(store.connection, 'a2')).not.toBeNull();
    expect(await store.act((trx) => setPersonDisabled(trx, 'ben', true))).toBe('done');
    expect(await resumeSession(store.connection, 'b1')).toBeNull();
    await store.act((trx) => setPersonDisabled(trx, 'ben', false));
    expect(await resumeSession(store.connection, 'b1')).toBeNull();
    await signIn('ben', 'b2');
    expect(await store.act((trx) => deletePerson(trx, 'ben'))).toBe('done');
    expect(await resumeSession(store.connection, 'b2')).toBeNull();
    expect(await findPersonBy(store.reader, 'id', 'ben')).toBeNull();
  });

  it('have other rights from the next request on', async () => {
    const { store } = await withPeople({ anna: VIEWER });
    await store.act((trx) =>
      addSession(trx, { hash: 's', id: 's', browser: null }, { personId: 'anna' }),
    );
    await store.act((trx) => saveRights(trx, 'anna', { role: 'admin', integrations: null }));
    const changed = { id: 'anna', role: 'admin', integrations: null };
    expect(await resumeSession(store.connection, 's')).toMatchObject({
      owner: { person: changed },
    });
  });

  it('always have an owner, once there is one who has joined', async () => {
    const { store } = await withPeople({ anna: OWNER, ben: OWNER });
    await store.act((trx) => acceptInvitation(trx, 'link of anna', 'password'));
    for (const change of [
      () => store.act((trx) => saveRights(trx, 'anna', VIEWER)),
      () => store.act((trx) => setPersonDisabled(trx, 'anna', true)),
      () => store.act((trx) => deletePerson(trx, 'anna')),
    ]) {
      expect(await change()).toBe('last_owner');
    }
    await store.act((trx) => acceptInvitation(trx, 'link of ben', 'password'));
    expect(await store.act((trx) => saveRights(trx, 'anna', VIEWER))).toBe('done');
    expect(await store.act((trx) => deletePerson(trx, 'no one'))).toBe('unknown');
  });

  it('have an owner left when two take each other out at the same time', async () => {
    const { store } = await withPeople({ anna: OWNER, ben: OWNER });
    await store.act((trx) => acceptInvitation(trx, 'link of anna', 'password'));
    await store.act((trx) => acceptInvitation(trx, 'link of ben', 'password'));
    const both = await Promise.all([
      store.act((trx) => deletePerson(trx, 'anna')),
      store.act((trx) => deletePerson(trx, 'ben')),
    ]);
    expect(both.sort()).toEqual(['done', 'last_owner']);
    expect(await listPersonRecords(store.reader)).toHaveLength(1);
  });

  it('are known by one subject of an identity provider, and join by it', async () => {
    const { store } = await withPeople({ anna: VIEWER });
    expect(await store.act((trx) => recordSubject(trx, 'anna', 'subject'))).toBe(true);
    expect(await findPersonBy(store.reader, 'id', 'anna')).toMatchObject({
      joinedAt: START_MS,
      inviteHash: null,
    });
    expect(await store.act((trx) => recordSubject(trx, 'anna', 'another'))).toBe(false);
    expect(await store.act((trx) => recordSubject(trx, 'anna', 'subject'))).toBe(true);
    await store.act((trx) => setPersonDisabled(trx, 'anna', true));
    expect(await store.act((trx) => recordSubject(trx, 'anna', 'subject'))).toBe(false);
  });

  it('are in the audit by their ids, each change once', async () => {
    const { store } = await withPeople({ anna: OWNER });
    await store.act((trx) => acceptInvitation(trx, 'link of anna', 'password'));
    await store.act((trx) => saveRights(trx, 'anna', OWNER));
    await store.act((trx) => savePassword(trx, 'anna', 'another', null));
    await store.act((trx) => deletePerson(trx, 'anna'));
    const entries = await listAuditEntries(store, { limit: 10 });
    const about = entries.filter(({ details }) => details['person'] === 'anna');
    expect(about.map(({ action }) => action)).toEqual([
      'person.password',
      'person.changed',
      'person.joined',
      'person.invited',
    ]);
  });
});

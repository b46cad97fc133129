import { expect, it } from 'vitest';
import type { Rights } from '../../../src/people/statements/people.ts';
import { START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const WEEK_MS = 7 * 86_400_000;
const OWNER: Rights = { role: 'owner', integrations: null };
const VIEWER: Rights = { role: 'viewer', integrations: ['riverside'] };

describeEachDatabase('people', (open) => {
  const createWorld = storeWorlds(open);

  async function withPeople(people: Record<string, Rights>) {
    const world = await createWorld();
    const { people: store } = world.store;
    for (const [id, rights] of Object.entries(people)) {
      const person = { id, email: `email of ${id}`, sealed: 'sealed', ...rights };
      const invitation = { hash: `link of ${id}`, until: START_MS + WEEK_MS };
      expect(await store.invite(person, invitation)).toBe(true);
    }
    return { ...world, people: store };
  }

  it('are invited once by an address, and join once by a link', async () => {
    const { people } = await withPeople({ anna: VIEWER });
    const again = { id: 'other', email: 'email of anna', sealed: 'sealed', ...VIEWER };
    expect(await people.invite(again, { hash: 'x', until: START_MS + 1 })).toBe(false);
    expect(await people.hasJoined()).toBe(false);
    expect(await people.join('no link', 'password')).toBeNull();
    expect(await people.findInvited('link of anna')).toMatchObject({ id: 'anna', ...VIEWER });
    expect(await people.join('link of anna', 'first')).toMatchObject({ joinedAt: START_MS });
    expect(await people.join('link of anna', 'second')).toBeNull();
    expect(await people.findInvited('link of anna')).toBeNull();
    expect(await people.findByEmail('email of anna')).toMatchObject({ password: 'first' });
    expect(await people.hasJoined()).toBe(true);
  });

  it('join by no link that is older than its time, or of a person who was disabled', async () => {
    const { people, clock } = await withPeople({ anna: VIEWER, ben: VIEWER });
    expect(await people.disable('ben', true)).toBe('done');
    await people.inviteAgain('ben', { hash: 'new link of ben', until: START_MS + WEEK_MS });
    expect(await people.join('new link of ben', 'password')).toBeNull();
    await clock.advance(WEEK_MS);
    expect(await people.findInvited('link of anna')).toBeNull();
    expect(await people.join('link of anna', 'password')).toBeNull();
  });

  it('get a new link that ends the one before', async () => {
    const { people } = await withPeople({ anna: VIEWER });
    await people.inviteAgain('anna', { hash: 'second', until: START_MS + WEEK_MS });
    expect(await people.join('link of anna', 'password')).toBeNull();
    expect(await people.join('second', 'password')).not.toBeNull();
    expect(await people.inviteAgain('no one', { hash: 'third', until: 1 })).toBe(false);
  });

  it('lose their sessions with their rights to come in, and their others with a new password', async () => {
    const { people, store } = await withPeople({ anna: OWNER, ben: VIEWER });
    await people.join('link of anna', 'password');
    const signIn = (personId: string, ...ids: string[]) =>
      Promise.all(
        ids.map((id) => store.sessions.add({ hash: id, id, browser: null }, { personId })),
      );
    await signIn('anna', 'a1', 'a2');
    await signIn('ben', 'b1');
    expect(await store.sessions.find('a1')).toMatchObject({ owner: { person: { id: 'anna' } } });
    await people.changePassword('anna', 'another', 'a2');
    expect(await store.sessions.find('a1')).toBeNull();
    expect(await store.sessions.find('a2')).not.toBeNull();
    expect(await people.disable('ben', true)).toBe('done');
    expect(await store.sessions.find('b1')).toBeNull();
    await people.disable('ben', false);
    expect(await store.sessions.find('b1')).toBeNull();
    await signIn('ben', 'b2');
    expect(await people.remove('ben')).toBe('done');
    expect(await store.sessions.find('b2')).toBeNull();
    expect(await people.find('ben')).toBeNull();
  });

  it('have other rights from the next request on', async () => {
    const { people, store } = await withPeople({ anna: VIEWER });
    await store.sessions.add({ hash: 's', id: 's', browser: null }, { personId: 'anna' });
    await people.change('anna', { role: 'admin', integrations: null });
    const changed = { id: 'anna', role: 'admin', integrations: null };
    expect(await store.sessions.find('s')).toMatchObject({ owner: { person: changed } });
  });

  it('always have an owner, once there is one who has joined', async () => {
    const { people } = await withPeople({ anna: OWNER, ben: OWNER });
    await people.join('link of anna', 'password');
    for (const change of [
      () => people.change('anna', VIEWER),
      () => people.disable('anna', true),
      () => people.remove('anna'),
    ]) {
      expect(await change()).toBe('last_owner');
    }
    await people.join('link of ben', 'password');
    expect(await people.change('anna', VIEWER)).toBe('done');
    expect(await people.remove('no one')).toBe('unknown');
  });

  it('have an owner left when two take each other out at the same time', async () => {
    const { people } = await withPeople({ anna: OWNER, ben: OWNER });
    await people.join('link of anna', 'password');
    await people.join('link of ben', 'password');
    const both = await Promise.all([people.remove('anna'), people.remove('ben')]);
    expect(both.sort()).toEqual(['done', 'last_owner']);
    expect(await people.list()).toHaveLength(1);
  });

  it('are known by one subject of an identity provider, and join by it', async () => {
    const { people } = await withPeople({ anna: VIEWER });
    expect(await people.noteSubject('anna', 'subject')).toBe(true);
    expect(await people.find('anna')).toMatchObject({ joinedAt: START_MS, inviteHash: null });
    expect(await people.noteSubject('anna', 'another')).toBe(false);
    expect(await people.noteSubject('anna', 'subject')).toBe(true);
    await people.disable('anna', true);
    expect(await people.noteSubject('anna', 'subject')).toBe(false);
  });

  it('are in the audit by their ids, each change once', async () => {
    const { people, store } = await withPeople({ anna: OWNER });
    await people.join('link of anna', 'password');
    await people.change('anna', OWNER);
    await people.changePassword('anna', 'another', null);
    await people.remove('anna');
    const entries = await store.audit.list({ limit: 10 });
    const about = entries.filter(({ details }) => details['person'] === 'anna');
    expect(about.map(({ action }) => action)).toEqual([
      'person.password',
      'person.changed',
      'person.joined',
      'person.invited',
    ]);
  });
});

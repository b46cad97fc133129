/** Tests the operation kit's promises, which apply to every operation. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ActorTransaction } from '../../src/database/actor-transaction.ts';
import type { Caller } from '../../src/operations/kit/caller.ts';
import { acting, changing, reading } from '../../src/operations/kit/operation.ts';
import { perform, preview } from '../../src/operations/kit/perform.ts';
import { addAccessToken, listAccessTokens } from '../../src/people/statements/access.ts';
import { changeRights, disablePerson, removePerson } from '../../src/people/user-accounts.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { MACHINE, signedInAs, toDeps } from './operation-world.ts';

const open = closedAfterTest(openHttpWorld);

async function signedIn(world: HttpWorld, role: 'admin' | 'owner'): Promise<Caller> {
  const caller = await signedInAs(world, `Anna ${role}`, role);
  return { ...caller, actor: { kind: 'session', name: 'Anna', from: '192.0.2.1' } };
}

const common = {
  summary: 'Make a token in a test',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ fails: z.boolean().default(false) }),
  subjects: [],
  result: z.object({ id: z.string() }),
  say: () => 'Made.',
} as const;

/** An operation that changes something, and then fails if the test wants it to. */
const make = changing({
  ...common,
  name: 'test make',
  async run({ trx }, { fails }) {
    const token = { id: 'made', name: 'made', role: 'viewer', hash: 'hash' } as const;
    await addAccessToken(trx, token);
    if (fails) throw new Error('the disk is full');
    return { id: token.id };
  },
});

async function whatWasMade({ application: { store } }: HttpWorld) {
  const tokens = await listAccessTokens(store.reader);
  const entries = await listAuditEntries(store, { limit: 100 });
  return {
    tokens: tokens.map(({ id }) => id),
    entries: entries.filter(({ action }) => action === 'token.made').map(({ actor }) => actor),
  };
}

const NOTHING = { tokens: [], entries: [] };

describe('an operation that changes something', () => {
  it('counts with its audit entry, in the name of the caller', async () => {
    const world = await open({ isIdle: true });
    const anna = await signedIn(world, 'admin');
    expect(await perform(toDeps(world), anna, make, { fails: false })).toEqual({ id: 'made' });
    expect(await whatWasMade(world)).toEqual({ tokens: ['made'], entries: [anna.actor] });
  });

  it('leaves nothing behind if it fails on its way', async () => {
    const world = await open({ isIdle: true });
    const failing = perform(toDeps(world), MACHINE, make, { fails: true });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(await whatWasMade(world)).toEqual(NOTHING);
  });

  it.each([
    ['was disabled', 'rights_changed', disablePerson],
    ['was removed', 'rights_changed', removePerson],
    ['became a viewer', 'role_insufficient', becomeViewer],
  ] as const)(
    'is refused to a user who %s after the request was let in',
    async (_, code, change) => {
      const world = await open({ isIdle: true });
      await signedIn(world, 'owner');
      const anna = await signedIn(world, 'admin');
      await world.application.store.act((trx: ActorTransaction) =>
        change(trx, anna.account?.id ?? '', true),
      );
      const refused = perform(toDeps(world), anna, make, { fails: false });
      await expect(refused).rejects.toMatchObject({ code, refusal: 'forbidden' });
      expect(await whatWasMade(world)).toEqual(NOTHING);
    },
  );

  it('is refused to a token that was revoked meanwhile', async () => {
    const world = await open({ isIdle: true });
    const account = { kind: 'token', id: 'gone', name: 'gone' } as const;
    const caller: Caller = { ...(await signedIn(world, 'admin')), kind: 'token', account };
    const refused = perform(toDeps(world), caller, make, { fails: false });
    await expect(refused).rejects.toMatchObject({ code: 'rights_changed' });
    expect(await whatWasMade(world)).toEqual(NOTHING);
  });

  it('needs no role at the terminal, and the audit knows the user of the machine', async () => {
    const world = await open({ isIdle: true });
    await perform(toDeps(world), MACHINE, make, { fails: false });
    expect((await whatWasMade(world)).entries).toEqual([MACHINE.actor]);
  });
});

describe('an operation that asks first', () => {
  const removeAll = changing({
    ...common,
    name: 'test remove',
    input: z.object({}),
    async question({ reader }) {
      const tokens = (await listAccessTokens(reader)).length;
      return { text: 'Remove all tokens?', counts: { tokens } };
    },
    run: async () => ({ id: 'all' }),
  });

  it('is carried out only while its question is the one that was agreed to', async () => {
    const world = await open({ isIdle: true });
    const deps = toDeps(world);
    const asked = await preview(deps, MACHINE, removeAll, {});
    expect(asked).toMatchObject({ text: 'Remove all tokens?', counts: { tokens: 0 } });
    expect(await perform(deps, MACHINE, removeAll, {}, asked?.digest)).toEqual({ id: 'all' });
    await world.addToken('viewer');
    const outdated = perform(deps, MACHINE, removeAll, {}, asked?.digest);
    await expect(outdated).rejects.toMatchObject({ code: 'preview_outdated' });
  });

  it('takes no digest of another caller or of another operation', async () => {
    const world = await open({ isIdle: true });
    const deps = toDeps(world);
    const anna = await signedIn(world, 'admin');
    const digest = (await preview(deps, MACHINE, removeAll, {}))?.digest;
    const others = perform(deps, anna, removeAll, {}, digest);
    await expect(others).rejects.toMatchObject({ code: 'preview_outdated' });
    const another = { ...removeAll, name: 'test remove more' };
    const elsewhere = perform(deps, MACHINE, another, {}, digest);
    await expect(elsewhere).rejects.toMatchObject({ code: 'preview_outdated' });
  });
});

describe('an operation that asks its question within its work', () => {
  /** Creates an operation that counts how often it looks up its question. */
  function repairing() {
    let found = 0;
    let repaired = 0;
    const question = async () => {
      found += 1;
      return { text: 'Repair two networks?', counts: { networks: 2 } };
    };
    const repair = acting({
      ...common,
      name: 'test repair',
      asksWithin: true,
      question,
      async run({ agree }) {
        await agree(await question());
        repaired += 1;
        return { id: 'repaired' };
      },
    });
    return { repair, counts: () => ({ found, repaired }) };
  }

  it('finds it out once for a caller who can be asked, and does nothing after a no', async () => {
    const world = await open({ isIdle: true });
    const deps = toDeps(world);
    const { repair, counts } = repairing();
    const asked: string[] = [];
    const agree = async ({ text }: { text: string }) => void asked.push(text);
    await perform(deps, MACHINE, repair, { fails: false }, agree);
    expect(asked).toEqual(['Repair two networks?']);
    expect(counts()).toEqual({ found: 1, repaired: 1 });
    const refuse = () => Promise.reject(new Error('no'));
    await expect(perform(deps, MACHINE, repair, { fails: false }, refuse)).rejects.toThrow('no');
    expect(counts()).toEqual({ found: 2, repaired: 1 });
  });

  it('takes the digest of a preview, and nothing without any consent', async () => {
    const world = await open({ isIdle: true });
    const deps = toDeps(world);
    const { repair, counts } = repairing();
    const asked = await preview(deps, MACHINE, repair, { fails: false });
    await perform(deps, MACHINE, repair, { fails: false }, asked?.digest);
    expect(counts()).toEqual({ found: 2, repaired: 1 });
    const wrong = perform(deps, MACHINE, repair, { fails: true }, asked?.digest);
    await expect(wrong).rejects.toMatchObject({ code: 'preview_outdated' });
    const silent = perform(deps, MACHINE, repair, { fails: false });
    await expect(silent).rejects.toThrow('needs the consent');
    expect(counts().repaired).toBe(1);
  });
});

describe('what an operation sees', () => {
  it('are the clients within the reach of the caller, and a store that acts in its name', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    const look = reading({
      ...common,
      name: 'test look',
      result: z.object({ clients: z.array(z.string()) }),
      run: async ({ clients }) => ({ clients: [...clients.keys()] }),
    });
    const send = acting({
      ...common,
      name: 'test send',
      async run({ store }) {
        const token = { id: 'sent', name: 'sent', role: 'viewer', hash: 'hash' } as const;
        await store.act((trx) => addAccessToken(trx, token));
        return { id: 'sent' };
      },
    });
    const anna = await signedIn(world, 'admin');
    const limited: Caller = { ...anna, clients: new Set(['harbor']) };
    const deps = toDeps(world);
    expect(await perform(deps, anna, look, { fails: false })).toEqual({
      clients: ['riverside', 'harbor'],
    });
    expect(await perform(deps, limited, look, { fails: false })).toEqual({ clients: ['harbor'] });
    await perform(deps, anna, send, { fails: false });
    expect((await whatWasMade(world)).entries).toEqual([anna.actor]);
  });
});

async function becomeViewer(...[trx, id]: Parameters<typeof disablePerson>): Promise<void> {
  await changeRights(trx, id, { role: 'viewer', integrations: null });
}

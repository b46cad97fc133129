/** Checks that no sequence of clicks or commands leaves an installation without an owner who can sign in. */
import { writeFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { describe, expect, it } from 'vitest';
import { passkeySealContext } from '../../src/database/encryption/seal-contexts.ts';
import { usersCommand } from '../../src/interfaces/cli/commands/users.ts';
import { hasOwner } from '../../src/people/statements/owners.ts';
import { insertPasskey } from '../../src/people/statements/passkeys.ts';
import { recordSubject } from '../../src/people/statements/people.ts';
import { disablePerson, inviteAgain } from '../../src/people/user-accounts.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { invite, join, send } from '../interfaces/api/people-world.ts';
import { runCommand } from '../interfaces/cli/run-command.ts';

const DAY_MS = 86_400_000;

const open = closedAfterTest(() => openHttpWorld({ isIdle: true }));

/** The owner who makes the request. If it succeeded, no other owner would remain. */
interface Owner {
  id: string;
  cookie: string;
}

type Change = 'remove' | 'disable' | 'demote' | 'remove the passkey of';

/** Functions that try to change a user. Each function returns whether the product made the change. */
const INTERFACES = {
  'the pages': async (world: HttpWorld, { id, cookie }: Owner, change: Change) => {
    const { path, form } = {
      remove: { path: 'remove', form: {} },
      disable: { path: 'disable', form: {} },
      demote: { path: 'role', form: { role: 'admin', reach: 'all' } },
      'remove the passkey of': { path: `passkeys/${passkeyOf(id)}/remove`, form: {} },
    }[change];
    const answer = await send(world, `/users/${id}/${path}`, form, { cookie });
    if (answer.status !== 303) {
      expect(answer.status).toBe(409);
      expect(answer.text).toContain('This is the last owner who can sign in');
    }
    return answer.status === 303;
  },
  'the terminal': async ({ folder }: HttpWorld, { id }: Owner, change: Change) => {
    const settings = `database: "sqlite:${joinPath(folder, 'store.db')}"\nintegrations: []\n`;
    await writeFile(joinPath(folder, 'donor-sync.yaml'), settings);
    const argv = {
      remove: ['remove', id, '--yes'],
      disable: ['disable', id],
      demote: ['role', id, '--role', 'admin'],
      'remove the passkey of': ['passkeys', 'remove', id, passkeyOf(id), '--yes'],
    }[change];
    const ended = await runCommand(usersCommand, ['users', ...argv], { cwd: folder });
    if (ended.exitCode !== 0) {
      expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr).toContain('This is the last owner who can sign in');
    }
    return ended.exitCode === 0;
  },
};

const passkeyOf = (id: string) => `passkey-of-${id}`;

const set = (
  { application: { store } }: HttpWorld,
  id: string,
  values: { password: null } | { invite_until: number },
) => store.act((trx) => trx.updateTable('people').set(values).where('id', '=', id).execute());

async function addPasskey({ application: { store, sealer } }: HttpWorld, personId: string) {
  const id = passkeyOf(personId);
  const sealed = sealer.seal('Phone', passkeySealContext(id));
  const known = { credential: id, publicKey: 'key', host: 'localhost' };
  const passkey = { id, ...known, counter: 0, transports: [], sealed };
  expect(await store.act((trx) => insertPasskey(trx, personId, passkey))).toBe(true);
}

const takeWays = (world: HttpWorld, id: string) => set(world, id, { password: null });

/** Records that a user has signed in with the identity provider. The provider no longer has to respond. */
async function signInByProvider(world: HttpWorld, id: string) {
  await world.application.store.act((trx) => recordSubject(trx, id, `subject of ${id}`));
  await set(world, id, { password: null });
}

interface Case {
  /** The steps that the test performs before the change. */
  before(world: HttpWorld, last: Owner): Promise<unknown>;
  changes: readonly Change[];
  isMade: boolean;
}

const ALL: readonly Change[] = ['remove', 'disable', 'demote'];
const nothing = async () => {};

const CASES: Readonly<Record<string, Case>> = {
  'the only one': { before: nothing, changes: ALL, isMade: false },
  'the only one, beside users of other roles': {
    before: (world) => join(world, 'Ben', 'admin'),
    changes: ALL,
    isMade: false,
  },
  'the only one who has joined': {
    before: (world) => invite(world, 'Ben', 'owner'),
    changes: ALL,
    isMade: false,
  },
  'the only one, after the invitation of the other has expired': {
    async before(world) {
      const { id } = await invite(world, 'Ben', 'owner');
      await set(world, id, { invite_until: world.clock.now() - DAY_MS });
    },
    changes: ['remove'],
    isMade: false,
  },
  'the only one who is not disabled': {
    async before(world) {
      const { id } = await join(world, 'Ben', 'owner');
      await world.application.store.act((trx) => disablePerson(trx, id, true));
    },
    changes: ALL,
    isMade: false,
  },
  'the only one who has a way to sign in': {
    before: async (world) => takeWays(world, (await join(world, 'Ben', 'owner')).id),
    changes: ALL,
    isMade: false,
  },
  'the only one, with a new link that was not used': {
    before: ({ application: { store } }, { id }) => store.act((trx) => inviteAgain(trx, id)),
    changes: ALL,
    isMade: false,
  },
  'the only one, who signs in by a provider': {
    before: (world, { id }) => signInByProvider(world, id),
    changes: ALL,
    isMade: false,
  },
  'the only one, who has nothing but a passkey': {
    async before(world, { id }) {
      await addPasskey(world, id);
      await takeWays(world, id);
    },
    changes: [...ALL, 'remove the passkey of'],
    isMade: false,
  },
  'the only one, who has a passkey beside the password': {
    before: (world, { id }) => addPasskey(world, id),
    changes: ['remove the passkey of'],
    isMade: true,
  },
  'one of two': { before: (world) => join(world, 'Ben', 'owner'), changes: ALL, isMade: true },
  'one of two, where the other signs in by a provider that is down': {
    before: async (world) => signInByProvider(world, (await join(world, 'Ben', 'owner')).id),
    changes: ALL,
    isMade: true,
  },
  'one of two, where the other has nothing but a passkey': {
    async before(world) {
      const { id } = await join(world, 'Ben', 'owner');
      await addPasskey(world, id);
      await takeWays(world, id);
    },
    changes: ['remove'],
    isMade: true,
  },
};

describe.each(Object.entries(INTERFACES))('the last owner, by %s', (_, ask) => {
  it.each(Object.entries(CASES))('is there afterwards: %s', async (_, given) => {
    for (const change of given.changes) {
      const world = await open();
      const last = await join(world, 'Anna', 'owner');
      await given.before(world, last);
      expect(await ask(world, last, change), change).toBe(given.isMade);
      expect(await hasOwner(world.application.store.reader), change).toBe(true);
    }
  });
});

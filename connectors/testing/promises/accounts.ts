/**
 * Promises about the ID of a connector's account. The account's ID must stay the same if the address or the key
 * changes.
 */
import { createHash } from 'node:crypto';
import { expectEqual, expectThat } from '../expect.ts';
import { openBehindProxy } from '../faults.ts';
import { byId, collectPages, lastCursor } from '../readings.ts';
import { people } from '../seeds.ts';
import type { Suite } from '../suite.ts';
import { optOutOf } from './settings.ts';

export function promiseAccounts({ describe, it, can, notShown }: Suite): void {
  describe('the account', () => {
    if (can('api')) {
      if (can('ownAddress')) {
        notShown(
          'not shown, because each organisation has its own address (`ownAddress`): the account behind another address',
        );
      } else promiseAddress({ it });

      it('contains no key, because it is stored and shown in the clear', async (t) => {
        const [id = ''] = await t.crm.addContacts(people(1));
        const { connector, proxy } = await openBehindProxy(t);
        const pages = await collectPages(connector, null);
        await connector.readByIds([id], []);
        const keys = proxy.secrets().flatMap(formsOf);
        const shown = {
          'the id of the account': connector.account.id,
          'the name of the account': connector.account.name,
          'a cursor': lastCursor(pages) ?? '',
        };
        for (const [what, text] of Object.entries(shown)) {
          expectThat(!keys.some((key) => text.includes(key)), {
            ...{ what, expected: 'a text without a key of the requests', actual: 'one with a key' },
            hint: 'A key is secret, and another key of the same organisation must give the same account: take an id from a response of the CRM.',
          });
        }
      });
    }

    if (can('otherKey')) {
      it('is the same with another key of the same organisation', async (t) => {
        await t.start(people(1));
        const { account } = t.connector;
        const other = await t.crm.openWithOtherKey?.();
        await other?.close();
        expectEqual(
          other?.account,
          account,
          'the account, opened with another key',
          'A nonprofit that renews its key stays the same client: take the id of the organisation, not of the key or of its user.',
        );
      });
    } else {
      notShown(
        'not shown, because the harness has no `openWithOtherKey` (`otherKey`): the account with a new key',
      );
    }

    it('shares nothing with another account that the same process has open', async (t) => {
      const [id = ''] = await t.start(people(2));
      const first = t.connector;
      const other = await t.otherCrm();
      const [field] = t.crm.textFields;
      const { newField } = other;
      const second = await other.open();
      try {
        const before = (await first.describeFields()).map(({ name }) => name);
        if (second.capabilities.createsFields && newField) await second.createFields([newField]);
        await second.describeFields();
        const after = (await first.describeFields()).map(({ name }) => name);
        const hint =
          'Keep fields, contacts and settings in `open`, never in a variable of the module: one process serves many clients.';
        const what = 'the fields of one account, after another account has a new field';
        expectEqual(after, before, what, hint);
        const [own] = await other.addContacts([
          { firstName: 'Other', lastName: 'Account', addresses: [], employers: [] },
        ]);
        await t.crm.setValue(id, field, 'of the first account');
        const found = byId(await collectPages(second, null));
        const whatContacts = 'the contacts of the other account';
        expectEqual([...found.keys()], [own], whatContacts, hint);
        expectEqual(found.get(own ?? '')?.lastName, 'Account', whatContacts, hint);
      } finally {
        await second.close();
      }
      const again = await t.another();
      const names = (await again.describeFields()).map(({ name }) => name);
      expectThat(newField === undefined || !names.includes(newField.name), {
        what: 'the fields, after another account got a new field',
        expected: 'the fields of this account',
        actual: `the other account's ${newField?.name}`,
        hint: 'Keep fields in `open`, never in a variable of the module: one process serves many clients.',
      });
    });

    it('is read with the settings of its own connector, also if two are open', async (t) => {
      const { mark, settings } = optOutOf(t);
      const [marked = ''] = await t.crm.addContacts(people(2));
      await mark(marked);
      const plain = await t.another();
      const marking = await t.another({ contacts: settings }).catch(() => undefined);
      const contacts = byId(await collectPages(plain, null));
      const hint = 'Keep the settings of `open` apart for each connector.';
      const what = 'an opt-out by a field that only another connector names';
      expectEqual(contacts.get(marked)?.optedOut, false, what, hint);
      if (marking === undefined) return;
      const withMarks = byId(await collectPages(marking, null));
      expectEqual(withMarks.get(marked)?.optedOut, true, 'the opt-out by its own field', hint);
    });
  });
}

function promiseAddress({ it }: Pick<Suite, 'it'>): void {
  it('is the same behind another address, because many clients may share one', async (t) => {
    await t.start(people(1));
    const { account } = t.connector;
    const { connector } = await openBehindProxy(t);
    expectEqual(
      connector.account.id,
      account.id,
      'the id of the account, opened through another address',
      'Take the id that the CRM itself gives the organisation: the clients of a CRM in the cloud share its address, and an address can change.',
    );
  });
}

/**
 * Returns all forms of a key: the key, the password in a basic authentication header, and hashes that look like an ID.
 */
function formsOf(key: string): string[] {
  const [, password = ''] = Buffer.from(key, 'base64').toString('utf8').split(':');
  const plain = [key, ...(password.length >= SHORTEST_PASSWORD ? [password] : [])];
  const hashed = ['md5', 'sha1', 'sha256'].flatMap((algorithm) =>
    plain.flatMap((text) => {
      const digest = createHash(algorithm).update(text).digest();
      return [digest.toString('hex').slice(0, SHORT_HASH), digest.toString('base64').slice(0, 12)];
    }),
  );
  return [...plain, ...hashed];
}

const SHORTEST_PASSWORD = 6;

/** The number of characters at the beginning of a hash that are enough to recognise the hash. */
const SHORT_HASH = 12;

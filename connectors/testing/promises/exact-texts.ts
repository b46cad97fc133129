/**
 * Texts that look like markup, addresses or code. A connector must not interpret any of these
 * characters.
 */
import { expectEqual } from '../expect.ts';
import { byId, collectPages, getValues } from '../readings.ts';
import { people } from '../seeds.ts';
import type { ConnectorTest, Suite } from '../suite.ts';
import { listTyped, writeEach } from '../typed.ts';

/** Special characters and escape sequences of HTML, addresses, JSON, regular expressions and templates. */
const TEXTS = [
  ...['write &lt;b&gt; for <b>', 'Smith &amp; Sons & Co', 'one <br> two', 'x&nbsp;y &#39;z&#39;'],
  ...['50%25 + 100 %20', 'C:\\new \\u0041 \\"', `it's "so"`, '$1 {x} [y] #{z}'],
];

const HINT =
  'Encode and decode each text exactly once, and all its entities in one pass: whoever decodes `&amp;` first and `&lt;` afterwards reads the text `&lt;` as `<`. Decode a field only if the CRM stores it encoded.';

/** Names with special characters of lists, addresses and markup. */
const NAMED = {
  firstName: 'Anne-Zoë & Bo',
  lastName: "O'Hara + Søn",
  addresses: ['7 Rue d’Été & Fils'],
  employers: ['Smith & Sons 100%'],
};

export function promiseExactTexts({ describe, it }: Suite): void {
  describe('texts that look like code', () => {
    it('are in the CRM and in look-ups exactly as they were written, in fields of each type of text', async (t) => {
      const ids = await t.start(people(TEXTS.length));
      for (const { name, maxLength } of await listTextFields(t)) {
        const texts = TEXTS.filter((text) => text.length <= (maxLength ?? text.length));
        for (const { sent, isAcknowledged, read, seen } of await writeEach(t, ids, name, texts)) {
          if (!isAcknowledged) continue;
          expectEqual(seen, sent, `${name} in the CRM after ${sent} was written`, HINT);
          expectEqual(read, sent, `${name}, reading back ${sent}`, HINT);
        }
      }
    });

    it('are read as a user has typed them', async (t) => {
      const ids = await t.start(people(TEXTS.length));
      for (const { name } of await listTextFields(t)) {
        for (const [at, text] of TEXTS.entries()) await t.crm.setValue(ids[at] ?? '', name, text);
        const lookups = await t.connector.readByIds(ids, [name]);
        for (const [at, text] of TEXTS.entries()) {
          // Skip the text if the CRM itself changes the text that users type.
          if ((await t.crm.seenValue(ids[at] ?? '', name)) !== text) continue;
          const read = getValues(lookups[at])?.[name];
          expectEqual(read, text, `${name}, into which a user typed ${text}`, HINT);
        }
      }
    });

    it('are whole in names and employers', async (t) => {
      const [id = ''] = await t.start([NAMED]);
      const [lookup] = await t.connector.readByIds([id], []);
      for (const [how, contact] of [
        ['a page', byId(await collectPages(t.connector, null)).get(id)],
        ['a look-up', lookup?.state === 'found' ? lookup.contact : undefined],
      ] as const) {
        const { firstName, lastName, employers } = NAMED;
        const read = [contact?.firstName, contact?.lastName, contact?.employers];
        expectEqual(read, [firstName, lastName, employers], `names and employers in ${how}`, HINT);
      }
    });
  });
}

async function listTextFields(t: ConnectorTest) {
  const described = await t.connector.describeFields();
  const [name] = t.crm.textFields;
  const first = described.filter((field) => field.name === name);
  return [...first, ...(await listTyped(t, 'text', 'longText'))];
}

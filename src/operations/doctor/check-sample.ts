import type { Connector, Finding, RecordLookup } from '../../../connectors/contract.ts';
import { plain } from '../../../connectors/findings/findings.ts';
import type { Contact } from '../../core/contact.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import { met, unmet } from './checks.ts';

/** The number of contacts to read. Reading this many usually costs one request, like reading a single contact. */
const SAMPLE = 100;

/** If none of this many contacts has an address or an employer, the mapping is probably wrong. */
const TELLING = 20;

const SUBJECT = 'contacts read';

/** Reads contacts in the same way as a run. Only a reading proves that donor-sync can read the values. */
export async function checkSample(
  connector: Connector,
  mappings: readonly FieldMapping[],
): Promise<Finding[]> {
  const ids = await sampleIds(connector);
  if (ids.length === 0) return [plain(met(SUBJECT, NONE_SEEN, NONE_SEEN_FIX))];
  const described = new Set((await connector.describeFields()).map(({ name }) => name));
  const fields = mappings.map(({ to }) => to).filter((name) => described.has(name));
  const lookups = await connector.readByIds(ids, [...new Set(fields)]);
  return judgeSample(contactsIn(lookups), new Set(fields).size, readableSources(connector));
}

const NONE_SEEN = 'donor-sync cannot see any contacts, so it could not read a sample.';
const NONE_SEEN_FIX =
  "If the CRM has contacts, check contacts.filter. Also check that the contacts are shared with donor-sync's user.";

async function sampleIds(connector: Connector): Promise<string[]> {
  const most = Math.min(SAMPLE, connector.capabilities.readBatch);
  if (connector.sampleIds !== undefined) return connector.sampleIds(most);
  for await (const { contacts } of connector.readPages(null)) {
    if (contacts.length > 0) return contacts.slice(0, most).map(({ id }) => id);
  }
  return [];
}

function contactsIn(lookups: readonly RecordLookup[]): Contact[] {
  return lookups.flatMap((one) => (one.state === 'found' ? [one.contact] : []));
}

function readableSources(connector: Connector): ReadonlySet<string> {
  const sources = connector.identity?.().sources ?? [];
  return new Set(sources.flatMap(({ name, readable }) => (readable ? [name] : [])));
}

/** Judges the contacts that were read. `readable` comes from the CRM's description of its fields. */
export function judgeSample(
  contacts: readonly Contact[],
  fieldCount: number,
  readable: ReadonlySet<string>,
): Finding[] {
  const all = contacts.length;
  const having = (test: (contact: Contact) => boolean) => contacts.filter(test).length;
  const named = having(({ firstName, lastName }) => firstName !== null && lastName !== null);
  const addressed = having(({ addresses }) => addresses.length > 0);
  const employed = having(({ employers }) => employers.length > 0);
  const leftOut = having(({ optedOut, excluded }) => optedOut || (excluded ?? null) !== null);
  const counts = [
    `${formatCount(named)} with first and last name`,
    `${formatCount(addressed)} with an address`,
    `${formatCount(employed)} with an employer`,
    `${formatCount(leftOut)} excluded by a mark`,
  ];
  const message = `${describeCount(all, 'contact')} read as a run reads them, with ${describeCount(fieldCount, 'mapped field')}: ${counts.join(', ')}.`;
  const lacks = all < TELLING ? [] : lacking({ addressed, employed });
  const advice =
    lacks.length === 0
      ? null
      : `If your contacts have ${lacks.join(' and ')}, check what donor-sync's user can read.`;
  return [plain(met(SUBJECT, message, advice)), ...unreadableParts(contacts, readable)];
}

function lacking({ addressed, employed }: { addressed: number; employed: number }): string[] {
  return [...(addressed === 0 ? ['addresses'] : []), ...(employed === 0 ? ['employers'] : [])];
}

function unreadableParts(contacts: readonly Contact[], readable: ReadonlySet<string>): Finding[] {
  const counts = new Map<string, number>();
  for (const { unreadable = [] } of contacts) {
    for (const name of unreadable) {
      if (readable.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, count]) =>
    plain(
      unmet(
        'identity',
        `${name} cannot be read for ${formatCount(count)} of ${describeCount(contacts.length, 'contact')}, although the field itself can be read. It refers to records that donor-sync's user cannot see.`,
        'Give this user read access to the object, and share these records with the user.',
        'crm_records_hidden',
      ),
    ),
  );
}

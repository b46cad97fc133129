/**
 * Treats contacts as opted out although the CRM does not mark them as opted out. The settings list some of these
 * contacts as objecting. For other contacts, a CRM event has requested the erasure.
 */
import type { Connector } from '../../../connectors/contract.ts';
import type { Contact } from '../../core/contact.ts';

export interface AddedMarks {
  /** The IDs of objecting contacts, from the settings. */
  objectors: ReadonlySet<string>;
  /** Returns the contacts whose erasure has been requested. A new request can arrive during a run. */
  listAsked(): Promise<ReadonlySet<string>>;
}

/** Wraps the connector so that it also reports these contacts as opted out. */
export function withAddedMarks(
  connector: Connector,
  { objectors, listAsked }: AddedMarks,
): Connector {
  const marked: Pick<Connector, 'readPages' | 'readByIds' | 'findMarked'> = {
    async *readPages(cursor, known) {
      for await (const page of connector.readPages(cursor, known)) {
        const asked = await listAsked();
        yield { ...page, contacts: page.contacts.map((contact) => mark(contact, asked)) };
      }
    },
    async readByIds(ids, fields) {
      const lookups = await connector.readByIds(ids, fields);
      const asked = await listAsked();
      return lookups.map((lookup) =>
        lookup.state === 'found' ? { ...lookup, contact: mark(lookup.contact, asked) } : lookup,
      );
    },
    async *findMarked(cursor) {
      // If the settings list more objecting contacts than before, a run reads all contacts again. A complete reading
      // excludes contacts outside the filter, so the wrapper adds the objecting contacts.
      if (cursor === null && objectors.size > 0) yield [...objectors];
      if (connector.findMarked !== undefined) yield* connector.findMarked(cursor);
    },
  };
  const hasMarks = objectors.size > 0 || connector.findMarked !== undefined;
  return new Proxy(connector, {
    get(target, name) {
      if (name === 'readPages' || name === 'readByIds') return marked[name];
      if (name === 'findMarked') return hasMarks ? marked.findMarked : undefined;
      const value: unknown = Reflect.get(target, name);
      // A connector from a package can be a class instance, whose methods need the correct `this`.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

  function mark(contact: Contact, asked: ReadonlySet<string>): Contact {
    if (objectors.has(contact.id)) return { ...contact, optedOut: true, objects: true };
    return asked.has(contact.id) ? { ...contact, optedOut: true } : contact;
  }
}

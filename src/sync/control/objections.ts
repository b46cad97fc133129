/**
 * People listed in the settings as objecting. They count as if their opt-out field in the CRM were
 * set.
 */
import type { Connector } from '../../../connectors/contract.ts';
import type { Contact } from '../../core/contact.ts';

/** The same connector, with these contacts opted out. */
export function withObjections(connector: Connector, objectors: ReadonlySet<string>): Connector {
  if (objectors.size === 0) return connector;
  const marked: Pick<Connector, 'readPages' | 'readByIds' | 'findMarked'> = {
    async *readPages(cursor, known) {
      for await (const page of connector.readPages(cursor, known)) {
        yield { ...page, contacts: page.contacts.map(mark) };
      }
    },
    async readByIds(ids, fields) {
      const lookups = await connector.readByIds(ids, fields);
      return lookups.map((lookup) =>
        lookup.state === 'found' ? { ...lookup, contact: mark(lookup.contact) } : lookup,
      );
    },
    async *findMarked(cursor) {
      // A longer list makes the run read all contacts again, except those outside the filter.
      if (cursor === null) yield [...objectors];
      if (connector.findMarked !== undefined) yield* connector.findMarked(cursor);
    },
  };
  return new Proxy(connector, {
    get(target, name) {
      if (name === 'readPages' || name === 'readByIds' || name === 'findMarked') {
        return marked[name];
      }
      const value: unknown = Reflect.get(target, name);
      // A connector from a package may be a class instance.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

  function mark(contact: Contact): Contact {
    return objectors.has(contact.id) ? { ...contact, optedOut: true, objects: true } : contact;
  }
}

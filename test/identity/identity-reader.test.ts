import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Contact } from '../../src/core/contact.ts';
import type { IdentityShape, IdentitySource } from '../../src/core/identity-shape.ts';
import {
  createIdentityReader,
  type IdentityReader,
  type KnownSource,
} from '../../src/identity/identity-reader.ts';

function fingerprint(purpose: string, text: string): string {
  return createHmac('sha256', 'a key')
    .update(`${purpose}\0${text}`)
    .digest('base64url')
    .slice(0, 22);
}

const STREET: IdentitySource = { name: 'Street', part: 'addresses', readable: true };
const CITY: IdentitySource = { name: 'City', part: 'addresses', readable: true };
const EMPLOYER: IdentitySource = { name: 'Employer', part: 'employers', readable: true };
const ALL = [STREET, CITY, EMPLOYER];

/** Reads a contact with the sources that the CRM offers. Some of the sources were readable before. */
function read(changes: Partial<Contact> = {}, ...sources: Parameters<typeof aReader>) {
  return aReader(...sources).read(aContact(changes));
}

function aReader(
  offered: readonly IdentitySource[] = ALL,
  known: readonly KnownSource[] = ALL,
): IdentityReader {
  const shape: IdentityShape = { columns: 'c', mode: 'plain', sources: offered };
  return createIdentityReader({ fingerprint, shape, known });
}

function aContact(changes: Partial<Contact> = {}): Contact {
  return {
    id: 'C1',
    firstName: 'Ada',
    lastName: 'Byrd',
    addresses: ['12 North Main Street, Springfield, Illinois 62701'],
    employers: ['Halden Freight'],
    optedOut: false,
    ...changes,
  };
}

const MOVED = { addresses: ['99 Elm Street, Springfield, Illinois 62701'] };
const HIDDEN = { employers: [], unreadable: ['Employer'] };

describe('the identity of a contact', () => {
  it('is unchanged if it was read as it was before', () => {
    const before = read().text();
    expect(read().compareWith(before)).toEqual({ changed: [], text: before });
  });

  it.each([
    ['name', { lastName: 'Bird' }],
    ['addresses', MOVED],
    ['addresses', { addresses: [] }],
    ['employers', { employers: ['Halden Freight', 'Ourtown Bank'] }],
  ] as const)('says that its %s changed', (part, changes) => {
    expect(read(changes).compareWith(read().text()).changed).toEqual([part]);
  });

  it('is unchanged in another spelling, and is then remembered in that one', () => {
    const before = read().text();
    const respelled = read({ addresses: ['SPRINGFIELD, ILLINOIS 62701, 12 NORTH MAIN STREET.'] });
    const { changed, text } = respelled.compareWith(before);
    expect(changed).toEqual([]);
    expect(text).not.toBe(before);
    expect(respelled.compareWith(text)).toEqual({ changed: [], text });
  });

  it('shows no name, address or employer, and no two people with the same key alike', () => {
    expect(read().text()).toMatch(
      /^2:[\w-]{22}:[\w-]{11}:[\w-]{4}\.[\w-]{11}:[\w-]{4}\.[\w-]{11}$/,
    );
  });

  it('is not compared with a fingerprint in a form that it does not know, and no credit is spent', () => {
    for (const unknown of [read().text().replace('2:', '3:'), fingerprint('identity', 'text')]) {
      expect(() => read().compareWith(unknown)).toThrow(
        expect.objectContaining({ kind: 'fatal', code: 'identity_form_unknown' }),
      );
    }
  });
});

describe('an identity of which a part cannot be read', () => {
  it('keeps what was known of that part, and is unchanged when it is readable again', () => {
    const before = read().text();
    const hidden = read(HIDDEN);
    expect(hidden.lost).toEqual(['employers']);
    const meanwhile = hidden.compareWith(before);
    expect(meanwhile.changed).toEqual([]);
    expect(read(HIDDEN).compareWith(meanwhile.text).changed).toEqual([]);
    expect(read().compareWith(meanwhile.text)).toEqual({ changed: [], text: before });
  });

  it('has changed if the part is another one when it is readable again', () => {
    const meanwhile = read(HIDDEN).compareWith(read().text());
    const after = read({ employers: ['Ourtown Bank'] }).compareWith(meanwhile.text);
    expect(after.changed).toEqual(['employers']);
  });

  it('still changes by its other parts', () => {
    expect(read({ ...HIDDEN, ...MOVED }).compareWith(read().text()).changed).toEqual(['addresses']);
  });

  it('is not lost if it never was readable, and is taken over once it is', () => {
    const sources = [
      [STREET, CITY, { ...EMPLOYER, readable: false }],
      [STREET, CITY],
    ] as const;
    const never = read(HIDDEN, ...sources);
    expect(never.lost).toEqual([]);
    expect(aReader(...sources).isPartial(aContact(HIDDEN))).toBe(true);
    expect(aReader(...sources).isPartial(aContact())).toBe(false);
    const adopted = read().compareWith(never.text());
    expect(adopted).toEqual({ changed: [], text: read().text() });
    expect(read({ employers: ['Ourtown Bank'] }).compareWith(adopted.text).changed).toEqual([
      'employers',
    ]);
  });

  it('is lost as a whole if one of the fields that it is made of is', () => {
    const hidden = { addresses: ['Springfield'], unreadable: ['Street'] };
    const meanwhile = read(hidden).compareWith(read().text());
    expect(read(hidden).lost).toEqual(['addresses']);
    expect(meanwhile.changed).toEqual([]);
    expect(read().compareWith(meanwhile.text).changed).toEqual([]);
  });

  it('is lost if the CRM does not even name the field any more', () => {
    const hidden = read({ employers: [] }, [STREET, CITY]);
    expect(hidden.lost).toEqual(['employers']);
    expect(hidden.compareWith(read().text()).changed).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { readHookBody } from '../../../src/interfaces/api/webhooks/hook-body.ts';
import { startCpuTime } from '../../helpers/cpu-time.ts';

function read(body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { contacts, isComplete } = readHookBody(new TextEncoder().encode(text));
  return { ids: contacts.map(({ id }) => id), isComplete };
}

function anEvent(more: Record<string, unknown>) {
  return { eventId: 1, portalId: 62515, subscriptionType: 'contact.propertyChange', ...more };
}

describe('the body of a webhook call', () => {
  it.each([
    ['events of an app', [anEvent({ objectId: 1 }), anEvent({ objectId: 2 })], ['1', '2']],
    ['events twice', [anEvent({ objectId: 1 }), anEvent({ objectId: 1 })], ['1']],
    [
      'events that are named after no type',
      [anEvent({ subscriptionType: 'object.creation', objectTypeId: '0-1', objectId: 3 })],
      ['3'],
    ],
    [
      'a merge',
      [
        anEvent({
          ...{ subscriptionType: 'contact.merge', objectId: 9, primaryObjectId: 1 },
          ...{ mergedObjectIds: [2], newObjectId: 9 },
        }),
      ],
      ['9', '1', '2'],
    ],
    ["a workflow's older shape", { vid: 5, properties: { city: { value: 'Troy' } } }, ['5']],
    ["a workflow's shape of records", { properties: { hs_object_id: '6' } }, ['6']],
    ['properties that were picked', { firstname: 'Ann', 'Record ID': '7' }, ['7']],
    [
      "an app's own action",
      { callbackId: 'ap-1', object: { objectId: 8, objectType: 'CONTACT' }, inputFields: {} },
      ['8'],
    ],
    ['what a Flow maps', { contactId: '003A', Name: 'Ann' }, ['003A']],
    ['several that a Flow maps', { contacts: ['003A', '003B'] }, ['003A', '003B']],
    ['records of a Flow', [{ Id: '003A' }, { Id: '003B' }], ['003A', '003B']],
  ])('names contacts in %s', (_, body, ids) => {
    expect(read(body)).toEqual({ ids, isComplete: true });
  });

  it.each([
    ['no body', ''],
    ['no JSON', '{"contact": '],
    ['a word', 'hello'],
    ['another XML', '<contact><Id>003A</Id></contact>'],
    ['properties without an id', { firstname: 'Ann', city: 'Troy' }],
    ['an id that is none', { contact: '' }],
    ['an event of a company', [anEvent({ subscriptionType: 'company.creation', objectId: 4 })]],
    ['an event whose type is no word', [{ subscriptionType: { toString: 1 }, objectId: 4 }]],
    ['more than a hundred', Array.from({ length: 101 }, (_, objectId) => anEvent({ objectId }))],
  ])('names no contact in %s', (_, body) => {
    expect(read(body)).toEqual({ ids: [], isComplete: false });
  });

  it('is incomplete where a part of it names no contact', () => {
    const events = [
      anEvent({ objectId: 1 }),
      anEvent({ subscriptionType: 'company.creation', objectId: 4 }),
    ];
    expect(read(events)).toEqual({ ids: ['1'], isComplete: false });
  });

  it.each([
    ['an unsigned call', null, []],
    ['a call that is signed with a secret from donor-sync', 'hmac', []],
    ['a call that another CRM has signed', 'salesforce', []],
    ['a call that HubSpot has signed', 'hubspot', ['1']],
  ])('reports contacts as deleted for privacy only by their own CRM: %s', (_, provenBy, ids) => {
    const events = [
      anEvent({ subscriptionType: 'contact.privacyDeletion', objectId: 1 }),
      anEvent({ subscriptionType: 'company.privacyDeletion', objectId: 2 }),
      anEvent({ subscriptionType: 'contact.deletion', objectId: 3 }),
      { subscriptionType: { toString: 1 }, objectId: 4 },
    ];
    const body = new TextEncoder().encode(JSON.stringify(events));
    expect(readHookBody(body, provenBy).deleted.map(({ id }) => id)).toEqual(ids);
    expect(readHookBody(body).deleted).toEqual([]);
  });

  it('expects the response of its CRM only for a whole Outbound Message', () => {
    const message = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><notifications xmlns="http://soap.sforce.com/2005/09/outbound"><OrganizationId>00D</OrganizationId></notifications></e:Body></e:Envelope>`;
    const responseTo = (text: string) =>
      readHookBody(new TextEncoder().encode(text)).acknowledgement?.contentType;
    expect(responseTo(message)).toBe('text/xml; charset=utf-8');
    expect(responseTo(` ${message}`)).toBe('text/xml; charset=utf-8');
    for (const other of [`x${message}`, `${message}<a>`, '{}', '']) {
      expect(responseTo(other)).toBeUndefined();
    }
  });

  it('is read quickly even if it contains XML that is made to slow a parser down', () => {
    const texts = ['<a "', '<a', '<!--', "<a b='", '</', '<x:y:z'].map((text) =>
      text.repeat(200_000),
    );
    const tookMs = startCpuTime();
    for (const text of [...texts, `<${'a'.repeat(1_000_000)}`, `<a ${' '.repeat(1_000_000)}`]) {
      expect(read(text).ids).toEqual([]);
    }
    expect(tookMs()).toBeLessThan(2_000);
  });
});

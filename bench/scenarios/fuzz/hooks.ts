/** The edges for the bodies and signatures of webhooks. */
import { createHmac } from 'node:crypto';
import { findSignatureProblem } from '../../../src/interfaces/api/webhooks/call-signature.ts';
import { readHookBody } from '../../../src/interfaces/api/webhooks/hook-body.ts';
import { type Edge, requireSame, requireThat } from './edge.ts';

const NOTIFICATION =
  '<Notification><Id>04l1</Id><sObject xsi:type="sf:Contact" xmlns:sf="urn:sobject"><sf:Id>003D000000QOdrLIAT</sf:Id></sObject></Notification>';

const MESSAGE = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>
<notifications xmlns="http://soap.sforce.com/2005/09/outbound"><OrganizationId>00D1</OrganizationId>
${NOTIFICATION}</notifications></soapenv:Body></soapenv:Envelope>`;

export const hookBodyEdge: Edge = {
  name: 'bodies of webhooks',
  share: 100,
  examples: [
    MESSAGE,
    MESSAGE.replace(NOTIFICATION, NOTIFICATION.repeat(3)),
    '[{"eventId":1,"subscriptionType":"contact.propertyChange","objectId":51,"portalId":7}]',
    '{"contactId":"003D000000QOdrLIAT"}',
    '{"vid":51,"properties":{"hs_object_id":{"value":"51"}}}',
  ],
  read({ bytes, isExample }) {
    const { contacts, isComplete } = readHookBody(bytes);
    requireThat(!isExample || (isComplete && contacts.length > 0), 'an example names no contact');
    // After a call without contacts or with too many contacts, a run reads all changes.
    requireThat(contacts.length > 0 || !isComplete, 'a call without contacts counts as complete');
    requireThat(contacts.length <= 100, `${contacts.length} contacts of one call`);
    for (const { id } of contacts)
      requireThat(/^\P{Cc}{1,255}$/u.test(id), `an id is ${JSON.stringify(id)}`);
  },
};

const SECRET = 'a-secret';
const NOW = 1_800_000_000_000;
const HEADERS = {
  hubspot: { time: 'x-hubspot-request-timestamp', signature: 'x-hubspot-signature-v3' },
  hmac: { time: 'x-donor-sync-timestamp', signature: 'x-donor-sync-signature' },
} as const;

export const signatureEdge: Edge = {
  name: 'signatures',
  share: 60,
  examples: ['{"contactId":"7"}', ''],
  read({ bytes, random }) {
    const kind = random.pick(['hubspot', 'hmac']);
    const { time, signature } = HEADERS[kind];
    const at = kind === 'hubspot' ? `${NOW}` : `${NOW / 1_000}`;
    const call = {
      method: 'POST',
      url: `https://sync.example/hooks/a/${random.int(0, 9)}?a=b`,
      body: Buffer.from('{}'),
    };
    const right = { [time]: at, [signature]: sign(kind, call, at) };
    requireSame('a good signature', null, problemOf(kind, call, right));
    const text = bytes.toString('latin1');
    const forged = random.pick(['body', 'time', 'signature', 'url']);
    const other =
      forged === 'body'
        ? problemOf(kind, { ...call, body: Buffer.concat([bytes, Buffer.from('!')]) }, right)
        : forged === 'url'
          ? problemOf(kind, { ...call, url: `${call.url}!${text}` }, right)
          : problemOf(kind, call, { ...right, [forged === 'time' ? time : signature]: `${text}!` });
    requireThat(other !== null, `a forged ${forged} passes`);
  },
};

interface Call {
  method: string;
  url: string;
  body: Buffer;
}

function problemOf(
  kind: 'hubspot' | 'hmac',
  call: Call,
  headers: Readonly<Record<string, string>>,
) {
  return findSignatureProblem(kind, SECRET, { ...call, header: (name) => headers[name] }, NOW);
}

/** Signs a call as the sender's documentation describes (docs/guides/webhooks.md). */
function sign(kind: 'hubspot' | 'hmac', { method, url, body }: Call, at: string): string {
  const hmac = createHmac('sha256', SECRET);
  return kind === 'hubspot'
    ? hmac
        .update(method + url)
        .update(body)
        .update(at)
        .digest('base64')
    : `v2=${hmac.update(`v2\n${at}\n${url}\n`).update(body).digest('hex')}`;
}

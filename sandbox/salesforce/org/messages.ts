/**
 * Sends the requests that an administrator can set up in an org. The requests are Outbound Messages and callouts of
 * flows.
 */

import { z } from 'zod';
import { type CalledOut, callOut } from '../../crm/call-out.ts';
import { createId } from '../core/ids.ts';
import { ORG_ID } from '../metadata/setup-records.ts';

/** The time (ms) for which Salesforce waits for a response. */
const TIMEOUT_MS = 60_000;

/** The maximum number of notifications in one message (developer guide, "Outbound Messaging WSDL"). */
const MAX_NOTIFICATIONS = 100;

/** Records for which a flow or a workflow rule has sent a message. */
export const messageOrderSchema = z.strictObject({
  url: z.url(),
  type: z.string().default('Contact'),
  ids: z.array(z.string()).min(1).max(MAX_NOTIFICATIONS),
  /** The fields in the message, in addition to the ID. The message always contains the ID. */
  fields: z.array(z.string()).default([]),
  /** The ID of the org in the message. The default is this org's ID. */
  organizationId: z.string().default(ORG_ID),
});

export type MessageOrder = z.output<typeof messageOrderSchema>;

/** The result of a message. If the receiver does not acknowledge a message, Salesforce repeats it for a day. */
export interface SentMessage extends CalledOut {
  isAcknowledged: boolean;
}

/**
 * Sends a message. The message is unsigned, like all Outbound Messages. `values` contains each record's values in the
 * same order as `ids`.
 */
export async function sendMessage(
  order: MessageOrder,
  values: readonly Readonly<Record<string, unknown>>[],
): Promise<SentMessage> {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""' };
  const sent = await callOut(
    { url: order.url, headers, body: messageOf(order, values) },
    TIMEOUT_MS,
  );
  const isAcknowledged = sent.status === 200 && /<(?:\w+:)?Ack>true<\//.test(sent.answer);
  return { ...sent, isAcknowledged };
}

function messageOf(
  { type, ids, fields, organizationId }: MessageOrder,
  values: readonly Readonly<Record<string, unknown>>[],
): string {
  const notifications = ids.map((id, at) => {
    const shown = fields.flatMap((name) => {
      const value = values[at]?.[name];
      return value == null ? [] : [`<sf:${name}>${escapeXml(String(value))}</sf:${name}>`];
    });
    return `<Notification><Id>${createId('04l', at + 1)}</Id><sObject xsi:type="sf:${type}" xmlns:sf="urn:sobject.enterprise.soap.sforce.com"><sf:Id>${id}</sf:Id>${shown.join('')}</sObject></Notification>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <soapenv:Body>
  <notifications xmlns="http://soap.sforce.com/2005/09/outbound">
   <OrganizationId>${organizationId}</OrganizationId>
   <ActionId>${createId('04k', 1)}</ActionId>
   <SessionId xsi:nil="true"/>
   <EnterpriseUrl>https://example.my.salesforce.com/services/Soap/c/67.0/${organizationId}</EnterpriseUrl>
   <PartnerUrl>https://example.my.salesforce.com/services/Soap/u/67.0/${organizationId}</PartnerUrl>
   ${notifications.join('\n   ')}
  </notifications>
 </soapenv:Body>
</soapenv:Envelope>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** A callout of a flow. An administrator has defined the body. */
export const calloutOrderSchema = z.strictObject({ url: z.url(), body: z.unknown().optional() });

/** Sends a callout. Callouts are never signed. */
export function sendCallout({
  url,
  body,
}: z.output<typeof calloutOrderSchema>): Promise<CalledOut> {
  const headers = { 'Content-Type': 'application/json' };
  return callOut({ url, headers, body: JSON.stringify(body ?? {}) }, TIMEOUT_MS);
}

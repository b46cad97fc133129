/**
 * Reads Salesforce's Outbound Messages. An Outbound Message is unsigned SOAP with at most 100 notifications. Salesforce
 * expects an acknowledgement of each message (developer guide "Outbound Messaging", vendor facts).
 */

export interface Notification {
  /** The API name of the record's object type. */
  type: string;
  id: string;
  account: string | null;
}

const ENVELOPE = 'Envelope/Body/notifications';
const RECORD = `${ENVELOPE}/Notification/sObject`;

/**
 * The maximum depth of nested elements. Notifications have fewer levels, so XML with more levels is not an Outbound
 * Message.
 */
const MAX_DEPTH = 10;

/**
 * Returns the records in an Outbound Message, or null if the text is not an Outbound Message. IDs contain no entities,
 * so the parser does not support them. Salesforce does not send declarations inside the message, or comments.
 */
export function readOutboundMessage(xml: string): Notification[] | null {
  if (xml.includes('<!')) return null;
  const path: string[] = [];
  const notifications: Notification[] = [];
  let account: string | null = null;
  let type = '';
  let isMessage = false;
  for (const { tag, textBefore } of readTags(xml)) {
    const name = /^\/?(?:[\w.-]{1,40}:)?([\w.-]{1,80})/.exec(tag)?.[1] ?? '';
    if (tag.startsWith('/')) {
      const here = path.join('/');
      if (here === `${ENVELOPE}/OrganizationId`) account = textBefore;
      if (here === `${RECORD}/Id`) notifications.push({ type, id: textBefore, account });
      if (path.pop() !== name) return null;
    } else if (!tag.endsWith('/')) {
      path.push(name);
      if (path.length > MAX_DEPTH) return null;
      const here = path.join('/');
      if (here === ENVELOPE) isMessage ||= tag.includes(NAMESPACE);
      if (here === RECORD) type = /\btype="(?:\w{1,40}:)?(\w{1,80})"/.exec(tag)?.[1] ?? '';
    }
  }
  return isMessage && path.length === 0 ? notifications : null;
}

/** Yields each tag, and the text between this tag and the previous tag. */
function* readTags(xml: string): Generator<{ tag: string; textBefore: string }> {
  let end = 0;
  for (let start = xml.indexOf('<'); start !== -1; start = xml.indexOf('<', end)) {
    const textBefore = xml.slice(end, start).trim();
    const close = xml.indexOf('>', start);
    end = close === -1 ? xml.length : close + 1;
    const tag = xml.slice(start + 1, end - 1);
    if (!tag.startsWith('?')) yield { tag, textBefore };
  }
}

const NAMESPACE = 'http://soap.sforce.com/2005/09/outbound';

/** Salesforce expects this response. After any other response, Salesforce repeats the message for a day. */
export const ACKNOWLEDGEMENT = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><notificationsResponse xmlns="${NAMESPACE}"><Ack>true</Ack></notificationsResponse></soapenv:Body></soapenv:Envelope>
`;

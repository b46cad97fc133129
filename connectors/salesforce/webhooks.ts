/** Salesforce's webhooks. Flows send donor-sync's general form, and Outbound Messages have their own form. */
import type { CrmWebhooks } from '../webhooks.ts';
import { ACKNOWLEDGEMENT, readOutboundMessage } from './outbound-message.ts';

export const salesforceWebhooks: CrmWebhooks = {
  readText(text) {
    const notifications = text.startsWith('<') ? readOutboundMessage(text) : null;
    if (notifications === null) return null;
    return notifications.map(({ type, id, account }) => ({
      ids: type === 'Contact' ? [id] : [],
      account,
    }));
  },
  acknowledgement: { contentType: 'text/xml; charset=utf-8', body: ACKNOWLEDGEMENT },
};

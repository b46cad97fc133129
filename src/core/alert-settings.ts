import { z } from 'zod';

/** The kinds of problems about which alerts are sent. */
export const ALERT_KINDS = [
  'runFailed',
  'runStopped',
  'keyExpires',
  'creditsLow',
  'held',
  'manyFailed',
  'auditEnd',
] as const;

const emailSchema = z.strictObject({
  to: z.array(z.email()).min(1),
  /** The sender's address, optionally with a name, such as `donor-sync <sync@example.org>`. */
  from: z.string().trim().min(3),
  /** The SMTP server's URL: `smtps://user:password@host:465`, or `smtp://` with STARTTLS. */
  smtp: z.url({ protocol: /^smtps?$/ }),
});

const webhookSchema = z.strictObject({
  /** The address of a webhook. The webhook must accept `{ "text": … }`, like Slack's incoming webhooks. */
  url: z.url({ protocol: /^https?$/ }),
});

export const ownAlertsSchema = z.strictObject({ webhook: webhookSchema });

/**
 * The settings for alerts: the recipients and the kinds of alerts. Without `email` and `webhook`, nobody gets alerts.
 */
export const alertsSchema = z.strictObject({
  email: emailSchema.nullable().default(null),
  webhook: webhookSchema.nullable().default(null),
  on: z.array(z.enum(ALERT_KINDS)).default([...ALERT_KINDS]),
  /** Sends an alert if a bucket has fewer credits than this. 0 means no alert. */
  creditsBelow: z
    .strictObject({
      enhancements: z.int().nonnegative().default(100),
      networks: z.int().nonnegative().default(100),
    })
    .prefault({}),
  /** Sends an alert if a run fails to write more than this percentage of its contacts. Null means no alert. */
  failedAbovePercent: z.number().min(0).max(100).nullable().default(null),
  /** Sends an alert this many days before `partner.expiresOn`. */
  keyExpiresWithinDays: z.int().min(1).max(365).default(14),
});

export type AlertKind = (typeof ALERT_KINDS)[number];
export type OwnAlerts = z.infer<typeof ownAlertsSchema>;
export type AlertSettings = z.infer<typeof alertsSchema>;

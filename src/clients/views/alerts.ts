import { ALERT_KINDS, type AlertKind, type AlertSettings } from '../../core/alert-settings.ts';
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Reader } from '../../database/reader.ts';
import { createChannels } from '../alerts/channels.ts';
import { type AlertRecord, listAlertsByClient } from '../statements/alerts.ts';

/** An alert rule of the settings, in words. */
export interface AlertRule {
  kind: AlertKind;
  text: string;
  isOn: boolean;
}

export interface PastAlert {
  subject: string;
  /** The problem in words, even after its end. */
  text: string;
  /** The start of the problem (ISO 8601). */
  since: string;
  overAt: string | null;
  sentAt: string | null;
}

export interface AlertsView {
  /** The kinds of channels in the settings, without their recipients. */
  channels: ('email' | 'webhook')[];
  /** This integration's own channel, which is used in addition to the shared channels. */
  own: 'webhook'[];
  rules: AlertRule[];
  /** The problems, newest first. */
  history: PastAlert[];
}

export async function readAlerts(
  reader: Reader,
  settings: AlertSettings,
  { id, alerts: own }: Pick<Integration, 'id' | 'alerts'>,
): Promise<AlertsView> {
  const rows = await listAlertsByClient(reader, id);
  return {
    channels: createChannels(settings).map(({ name }) => name),
    own: own === undefined ? [] : ['webhook'],
    rules: ALERT_KINDS.map((kind) => ({ kind, ...describeRule(kind, settings) })),
    history: rows.map(describeAlert),
  };
}

export function describeAlert({ subject, since, overAt, sentAt }: AlertRecord): PastAlert {
  return {
    subject,
    text: describeSubject(subject),
    since: isoTime(since),
    overAt: overAt === null ? null : isoTime(overAt),
    sentAt: sentAt === null ? null : isoTime(sentAt),
  };
}

function describeRule(kind: AlertKind, settings: AlertSettings): Omit<AlertRule, 'kind'> {
  const { creditsBelow, failedAbovePercent, keyExpiresWithinDays } = settings;
  const isOn = settings.on.includes(kind);
  switch (kind) {
    case 'runFailed':
      return { text: 'a run failed', isOn };
    case 'runStopped':
      return { text: 'a run stopped early', isOn };
    case 'keyExpires':
      return { text: `the service key expires within ${keyExpiresWithinDays} days`, isOn };
    case 'creditsLow': {
      const { enhancements, networks } = creditsBelow;
      const text = `fewer than ${enhancements} credits for enhancements are left, or ${networks} for networks`;
      return { text, isOn: isOn && enhancements + networks > 0 };
    }
    case 'held':
      return { text: 'a decision is pending', isOn };
    case 'auditEnd':
      return { text: 'once a day, the end of the audit', isOn };
    case 'manyFailed': {
      const share = failedAbovePercent === null ? 'a set share' : `${failedAbovePercent} %`;
      const text = `more than ${share} of the contacts of a run failed`;
      return { text, isOn: isOn && failedAbovePercent !== null };
    }
  }
}

const SUBJECTS: Readonly<Record<string, string>> = {
  run_failed: 'the last run failed',
  run_stopped: 'the last run stopped early',
  many_failed: 'many contacts of the last run failed',
  key_expires: 'the service key is about to expire',
  credits_low: 'few credits are left',
  held: 'a decision is pending',
  held_batch: 'the details of many contacts changed at once',
  held_missing: 'many contacts are missing at once',
  held_opt_outs: 'many contacts opted out at once',
  held_erasures: 'the CRM asks to erase contacts',
  second_person: 'a request is waiting for a second user',
};

/** Subjects that end with an ID. Users do not need this ID. */
const WITH_ID = ['held_batch', 'held_missing', 'held_opt_outs', 'held_erasures', 'second_person'];

function describeSubject(subject: string): string {
  const [word = '', detail] = subject.split('/');
  const isWord = !WITH_ID.includes(word) && detail !== undefined;
  return `${SUBJECTS[word] ?? word}${isWord ? ` (${detail.replaceAll('_', ' ')})` : ''}`;
}

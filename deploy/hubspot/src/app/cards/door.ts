/**
 * Sends the card's requests to donor-sync. HubSpot adds the user to each request and signs the request. donor-sync
 * decides what the user is allowed to do.
 */
import { hubspot } from '@hubspot/ui-extensions';
import { ADDRESS } from './address';

export interface Shown {
  contact: {
    state: 'known' | 'new' | 'gone';
    status: string | null;
    paidAt: string | null;
    wanted: { run: string; isRunning: boolean } | null;
    hasQuestion: boolean;
    mayEnhance: boolean;
    values: Values | null;
  };
  user: { name: string | null; email: string; isLinked: boolean };
  /** The address at which an unlinked user signs in. Null if the user is already linked. */
  link: string | null;
  /** The contact's page in donor-sync. */
  page: string;
}

export interface Values {
  name: string | null;
  problem: string | null;
  keptBack: string | null;
  profile: { name: string; lines: string[]; isLink: boolean }[];
  introductions: { sentence: string; strength: number | null }[];
  question: Question | null;
}

export interface Question {
  id: string;
  reason: string;
  names: { contact: string | null; profile: string | null; problem: string | null } | null;
  answers: { decision: string; label: string }[];
}

/** The outcome of a request. It is the response, or a sentence that tells the user why there is no response. */
export type Answer<Body> = { body: Body; problem: null } | { body: null; problem: string };

export function loadContact(contact: string): Promise<Answer<Shown>> {
  return call('contact', { contact, key: newKey() });
}

/**
 * Marks the contact. Each click has its own `key`. If the request is repeated with the same key, it has no further
 * effect.
 */
export function markWanted(contact: string, key: string): Promise<Answer<{ run: string | null }>> {
  return call('wanted', { contact, key });
}

export function answerQuestion(
  contact: string,
  answer: { question: string; decision: string },
  key: string,
): Promise<Answer<{ answered: boolean; text: string }>> {
  return call('answer', { contact, ...answer, key });
}

/**
 * Returns a key for a click. HubSpot cards cannot use `crypto`. The key does not have to be secret, because donor-sync
 * connects it with the user.
 */
export function newKey(): string {
  const part = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36)}-${part()}-${part()}`;
}

async function call<Body>(path: string, body: Record<string, unknown>): Promise<Answer<Body>> {
  try {
    const response = await hubspot.fetch(`${ADDRESS}/doors/hubspot/card/${path}`, {
      method: 'POST',
      timeout: 15_000,
      body,
    });
    const read = await response.json();
    if (response.ok) return { body: read as Body, problem: null };
    return {
      body: null,
      problem: read?.error?.message ?? `donor-sync answered ${response.status}.`,
    };
  } catch {
    return { body: null, problem: 'donor-sync could not be reached. Try again in a minute.' };
  }
}

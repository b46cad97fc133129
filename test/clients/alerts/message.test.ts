import { describe, expect, it } from 'vitest';
import { type Change, composeMessage } from '../../../src/clients/alerts/message.ts';

const PUBLIC_URL = 'https://sync.example.org';

describe('composeMessage', () => {
  it('says what is the matter, where to see it, and what to do', () => {
    const { title, text } = composeMessage([problem('riverside', 'held')], PUBLIC_URL);
    expect(title).toBe('donor-sync, riverside: something about held');
    expect(text).toBe(
      'riverside\n  something about held\n  → In the browser: https://sync.example.org/decisions?client=riverside\n  → Fix it.\n  → More: https://sync.example.org/docs/guide/concepts#a-decision\n\ndonor-sync at https://sync.example.org',
    );
  });

  it('has no links without an address of the server, and names the missing setting', () => {
    const { text } = composeMessage([problem('riverside', 'held')], null);
    expect(text).not.toContain('http');
    expect(text).toContain('riverside\n  something about held\n  → Fix it.\n\n');
    expect(text).toContain('server.publicUrl');
  });

  it('links to the explanation of the code for which a run stopped', () => {
    const { text } = composeMessage([problem('riverside', 'run_stopped/clock_wrong')], PUBLIC_URL);
    expect(text).toContain(`${PUBLIC_URL}/docs/guide/errors#clock_wrong`);
  });

  it.each([
    ['held_batch/7', '/decisions?client=riverside'],
    ['second_person/7', '/decisions'],
    ['run_failed/unknown', '/runs?client=riverside'],
    ['many_failed', '/runs?client=riverside'],
    ['credits_low/networks', '/credits?client=riverside'],
    ['key_expires', '/clients/riverside'],
  ])('links to the page about %s', (subject, path) => {
    const { text } = composeMessage([problem('riverside', subject)], PUBLIC_URL);
    expect(text).toContain(`→ In the browser: ${PUBLIC_URL}${path}\n`);
  });

  it('says that it is well again', () => {
    const { title, text } = composeMessage(
      [recovery('riverside', 'credits_low/networks')],
      PUBLIC_URL,
    );
    expect(title).toBe('donor-sync, riverside: there are enough credits for networks again');
    expect(text).toContain('resolved: there are enough credits for networks again');
  });

  it('puts all changes of a moment into one message, by integration', () => {
    const changes = [
      recovery('riverside', 'held'),
      problem('hillside', 'run_failed/unknown'),
      problem('riverside', 'key_expires'),
    ];
    const { title, text } = composeMessage(changes, PUBLIC_URL);
    expect(title).toBe(
      'donor-sync, 2 integrations: something about run_failed/unknown (and 2 more)',
    );
    const [riverside, hillside] = text.split('\n\n');
    expect(riverside).toMatch(/^riverside\n.*resolved: .*\n.*key_expires/);
    expect(hillside).toMatch(/^hillside\n/);
  });

  it('does not say twice that runs succeed again', () => {
    const changes = [
      recovery('riverside', 'run_failed/unknown'),
      recovery('riverside', 'run_stopped/crm_unavailable'),
    ];
    const { text } = composeMessage(changes, PUBLIC_URL);
    expect(text.match(/runs succeed again/g)).toHaveLength(1);
  });

  function problem(integrationId: string, subject: string): Change {
    return {
      row: { integrationId: integrationId, subject, overAt: null },
      condition: {
        integrationId,
        subject,
        problem: `something about ${subject}`,
        steps: ['Fix it.'],
      },
    };
  }

  function recovery(integrationId: string, subject: string): Change {
    return { row: { integrationId: integrationId, subject, overAt: 1 }, condition: null };
  }
});

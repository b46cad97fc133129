import { describe, expect, it } from 'vitest';
import { adviceFor, stepText } from '../../../src/sync/views/advice.ts';

describe('adviceFor', () => {
  it('asks a person to fix what it does not know', () => {
    const advice = adviceFor({ code: 'something_new' }, 'riverside');
    expect(advice.needs).toBe('person');
    expect(advice.cause).toBe('something_new');
    expect(advice.steps[0].command).toBe('donor-sync doctor riverside');
  });

  it('asks no person for what goes on by itself', () => {
    const passing = ['crm_unavailable', 'partner_unavailable', 'crm_limit_reached', 'lease_lost'];
    for (const code of passing) expect(adviceFor({ code }, 'riverside').needs).toBe('time');
    expect(adviceFor(null, 'riverside').needs).toBe('time');
  });

  it('names the integration in the commands that take one', () => {
    const steps = adviceFor({ code: 'match_rate_low' }, 'riverside').steps.map(stepText);
    expect(steps).toEqual([
      'See the people as they would be sent: donor-sync plan riverside',
      'Correct the columns in the settings, or accept the match rate: donor-sync sync riverside --accept-match-rate',
    ]);
  });
});

import { formatCount } from '../../../core/quantities.ts';
import type { CreditTrouble, KeyCredits } from '../../../credits/credit-reader.ts';
import { BUCKETS, type Bucket } from '../../../partner/buckets.ts';
import { VALID_KEY_NEEDED } from '../../../sync/views/advice.ts';
import { Status, Timestamp } from '../frame/parts.tsx';

export function CreditsSection({ credits, now }: { credits: readonly KeyCredits[]; now: number }) {
  return (
    <section class="card" id="credits" aria-labelledby="credits-title">
      <h2 id="credits-title">Credits</h2>
      <div id="credits-live" data-live>
        {credits.length === 0 ? (
          <p class="empty">There is no service key yet.</p>
        ) : (
          credits.map((key) => <Key key={key.integrations[0]} credits={key} now={now} />)
        )}
      </div>
    </section>
  );
}

function Key({ credits, now }: { credits: KeyCredits; now: number }) {
  const { integrations, balances, readAt, trouble } = credits;
  return (
    <div class="key">
      <p>
        The key of <strong>{integrations.join(', ')}</strong>
        {readAt !== null && (
          <span class="quiet">
            {' '}
            · read <Timestamp at={readAt} now={now} />
          </span>
        )}
      </p>
      {trouble !== null && <Untold trouble={trouble} />}
      {balances === null && trouble === null && <p class="empty">Querying the service…</p>}
      {balances !== null && (
        <dl class="buckets">
          {ORDER.map((bucket) => (
            <div key={bucket} class={USED.includes(bucket) ? 'bucket' : 'bucket unused'}>
              <dt>{bucket}</dt>
              <dd>
                {formatCount(balances[bucket])}
                {USED.includes(bucket) && balances[bucket] === 0 && (
                  <Status kind="attention" word="used up" />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

const TROUBLES: Readonly<Record<CreditTrouble, string>> = {
  key_rejected: 'The service does not accept this key.',
  key_expired: 'This key has expired.',
  unanswered: 'The service is not reporting the balances at the moment.',
};

function Untold({ trouble }: { trouble: CreditTrouble }) {
  return (
    <>
      <p>
        <Status kind="attention" word={TROUBLES[trouble]} />
      </p>
      {trouble !== 'unanswered' && (
        <p>
          <span aria-hidden="true">→ </span>
          {VALID_KEY_NEEDED}.
        </p>
      )}
    </>
  );
}

/** The buckets that a sync uses. */
const USED: readonly Bucket[] = ['enhancements', 'networks'];

const ORDER: readonly Bucket[] = [...USED, ...BUCKETS.filter((bucket) => !USED.includes(bucket))];

import { countOf, formatCount } from '../../core/quantities.ts';
import { BUCKETS, type Bucket } from '../../partner/buckets.ts';
import { VALID_KEY_NEEDED } from '../../views/advice.ts';
import type { CreditTrouble, KeyCredits } from './credits.ts';
import { HoldsSection } from './holds-section.tsx';
import { IntegrationCard } from './integration-card.tsx';
import { Layout, type Viewer } from './layout.tsx';
import { type Overview, PAGE_SIZE } from './overview.ts';
import { CommandLine, Mark, type MarkKind, Moment, Status } from './parts.tsx';
import type { Verdict } from './verdict.ts';

/** Is everything well, and if not, what is there to do? */
export function StatusPage(props: { overview: Overview; note: string | null; viewer: Viewer }) {
  const { overview, note, viewer } = props;
  const { verdict, integrations, holds, credits } = overview;
  const { now } = viewer;
  const isAdmin = viewer.principal?.role === 'admin';
  return (
    <Layout title="Status" viewer={viewer}>
      {note !== null && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      <div id="verdict" role="status" data-live>
        <VerdictBlock verdict={verdict} total={overview.total} />
      </div>
      {integrations.length === 0 && (
        <div class="card">
          <p class="empty">
            The settings name no integration. <CommandLine text="donor-sync init" /> asks a few
            questions and writes one.
          </p>
        </div>
      )}
      {integrations.map((view) => (
        <IntegrationCard key={view.id} view={view} isAdmin={isAdmin} now={now} />
      ))}
      <Pages overview={overview} />
      <HoldsSection holds={holds} isAdmin={isAdmin} now={now} />
      <CreditsSection credits={credits} now={now} />
    </Layout>
  );
}

const LEVEL_MARKS: Readonly<Record<Verdict['level'], MarkKind>> = {
  well: 'well',
  syncing: 'busy',
  patience: 'patience',
  attention: 'attention',
  new: 'idle',
};

function VerdictBlock({ verdict, total }: { verdict: Verdict; total: number }) {
  const { level, headline, tasks } = verdict;
  return (
    <div class={`verdict verdict-${level}`}>
      <Mark kind={LEVEL_MARKS[level]} />
      <div>
        <h1>{headline}</h1>
        {tasks.length === 0 ? (
          <p class="quiet">{countOf(total, 'integration')}</p>
        ) : (
          <ul class="tasks">
            {tasks.map(({ text, href }) => (
              <li key={href}>
                <a href={href}>{text}</a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function Pages({ overview: { total, from } }: { overview: Overview }) {
  if (total <= PAGE_SIZE) return null;
  const last = Math.min(from + PAGE_SIZE, total);
  return (
    <nav class="row pages" aria-label="Integrations">
      {from > 0 && (
        <a class="button" href={`/?from=${Math.max(0, from - PAGE_SIZE)}`}>
          Before
        </a>
      )}
      <span class="quiet">
        Integrations {from + 1} to {last} of {total}
      </span>
      {last < total && (
        <a class="button" href={`/?from=${last}`}>
          More
        </a>
      )}
    </nav>
  );
}

/** What each partner key has left in its buckets. */
export function CreditsSection({ credits, now }: { credits: readonly KeyCredits[]; now: number }) {
  return (
    <section class="card" id="credits" aria-labelledby="credits-title">
      <h2 id="credits-title">Credits</h2>
      <div id="credits-live" data-live>
        {credits.length === 0 ? (
          <p class="empty">There is no partner key yet.</p>
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
            · read <Moment at={readAt} now={now} />
          </span>
        )}
      </p>
      {trouble !== null && <Untold trouble={trouble} />}
      {balances === null && trouble === null && <p class="empty">The service is being asked…</p>}
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
  unanswered: 'The service does not tell the balances right now.',
};

/** Why there are no new balances, and what to do if that does not pass by itself. */
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

/** The buckets that a sync takes credits from. */
const USED: readonly Bucket[] = ['enhancements', 'networks'];

const ORDER: readonly Bucket[] = [...USED, ...BUCKETS.filter((bucket) => !USED.includes(bucket))];

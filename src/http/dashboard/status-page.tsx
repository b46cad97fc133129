import { countOf } from '../../core/quantities.ts';
import { CreditsSection } from './credits-section.tsx';
import { HoldsSection } from './holds-section.tsx';
import { IntegrationCard } from './integration-card.tsx';
import { Layout, type Viewer } from './layout.tsx';
import { type Overview, PAGE_SIZE } from './overview.ts';
import { CommandLine, Mark, type MarkKind } from './parts.tsx';
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

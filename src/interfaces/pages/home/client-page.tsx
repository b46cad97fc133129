import { isAtLimit } from '../../../clients/views/verdict.ts';
import { CreditsSection } from '../credits/credits-section.tsx';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import { ErrorNotice, Status } from '../frame/parts.tsx';
import { WaitingValues } from '../frame/waiting-values.tsx';
import { Pause, StopRun } from './client-buttons.tsx';
import type { ClientDetail } from './client-detail.ts';
import {
  AcceptMarks,
  AcceptRate,
  CurrentRunPanel,
  Facts,
  getClientStatus,
  linksToPersons,
  PersonsLink,
  RunTable,
  SyncNow,
  Unconnected,
} from './client-parts.tsx';

/** Renders a client's page: its status, current run, last runs, and open decisions. */
export function ClientPage(props: { detail: ClientDetail; note: string | null; viewer: Viewer }) {
  const { detail, note, viewer } = props;
  const { client, credits } = detail;
  const { id, name, crm, current, problem, runs, schedule } = client;
  const { now } = viewer;
  const isAdmin = may(viewer, 'admin');
  return (
    <Layout area="clients" title={name} viewer={viewer} note={note} client={id}>
      <p class="crumbs">
        <a href="/">Clients</a>
      </p>
      <ClientSides client={client} side="client" viewer={viewer} />
      <section class="card" aria-labelledby="client-name">
        <div class="card-head">
          <h1 class="client-title" id="client-name">
            {name} <span class="kind">{crm}</span>
          </h1>
          {isAdmin && (
            <div class="row buttons">
              <SyncNow view={client} />
              {schedule && <Pause client={client} schedule={schedule} back="client" />}
            </div>
          )}
        </div>
        <div id="client-live" data-live>
          <p class="standing">
            <Status {...getClientStatus(client)} />
          </p>
          {client.connectHref !== null && <Unconnected view={client} isAdmin={isAdmin} />}
          {current && <CurrentRunPanel current={current} now={now} />}
          {current && (
            <p class="row actions">
              <a href={`/runs/${current.report.id}`}>Watch the run</a>
              {isAdmin && <StopRun run={current.report.id} name={name} back="client" />}
            </p>
          )}
          {problem && (
            <ErrorNotice
              which="The last run"
              message={problem.message}
              advice={problem.advice}
              isAtLimit={isAtLimit(problem)}
              role={viewer.principal?.role ?? null}
            />
          )}
          {may(viewer, 'reader') && (
            <div class="row actions">
              {isAdmin && problem?.code === 'match_rate_low' && <AcceptRate integration={client} />}
              {isAdmin && problem?.code === 'marks_unconfirmed' && (
                <AcceptMarks integration={client} />
              )}
              {/* The advice about some problems already contains this link. */}
              {!linksToPersons(problem, id) && <PersonsLink id={id} />}
            </div>
          )}
          <Facts view={client} now={now} />
          <WaitingValues waiting={detail.valuesWaiting} />
          {runs.length === 0 ? (
            <p class="empty">No run has finished yet. The first run reads every contact.</p>
          ) : (
            <>
              <RunTable name={name} runs={runs} now={now} />
              <p class="actions">
                <a href={`/runs?client=${id}`}>All runs of {name}</a>
              </p>
            </>
          )}
        </div>
      </section>
      <CreditsSection credits={credits} now={now} />
    </Layout>
  );
}

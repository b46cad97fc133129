/** The pages of runs as texts: the one door between the routes and what is written in JSX. */
import { raw } from 'hono/html';
import type { CrmMessage } from '../../../decisions/crm-messages.ts';
import { render, renderPart, type Viewer } from '../frame/layout.tsx';
import { RunListPage } from './list-page.tsx';
import { ChangesPage, type ChangesView } from './run-contacts.tsx';
import type { RunDetail } from './run-detail.ts';
import type { RunListView } from './run-list.ts';
import { RunBody, RunPage } from './run-page.tsx';

/** What stands on the page of a run, for all who may do the same. */
export interface RunBodyText {
  detail: Pick<RunDetail, 'report' | 'phase' | 'integrationName'>;
  text: string;
}

/** The body of the page of one run; `words` is what the CRM said, empty for those who may not read it. */
export async function renderRunBody(
  viewer: Viewer,
  detail: RunDetail,
  words: readonly CrmMessage[],
): Promise<RunBodyText> {
  const text = await renderPart(<RunBody detail={detail} words={words} viewer={viewer} />);
  return { detail, text };
}

/** The page of one run. */
export function renderRun(viewer: Viewer, { detail, text }: RunBodyText, note: string | null) {
  return render(
    <RunPage detail={detail} note={note} viewer={viewer}>
      {raw(text)}
    </RunPage>,
  );
}

/** What a run wrote into one contact. */
export function renderChanges(viewer: Viewer, view: ChangesView) {
  return render(<ChangesPage view={view} viewer={viewer} />);
}

/** All runs; `isClient` says whether the client that is asked for has pages. */
export function renderRuns(
  viewer: Viewer,
  list: RunListView,
  about: { getClientName: (id: string) => string; isClient: boolean },
) {
  return render(<RunListPage list={list} {...about} viewer={viewer} />);
}

/** Renders the run pages as strings. The routes use JSX only through this file. */
import { raw } from 'hono/html';
import type { CrmMessage } from '../../../decisions/crm-messages.ts';
import { render, renderPart, type Viewer } from '../frame/layout.tsx';
import { RunListPage } from './list-page.tsx';
import { ChangesPage, type ChangesView } from './run-contacts.tsx';
import type { RunDetail } from './run-detail.ts';
import type { RunListView } from './run-list.ts';
import { RunBody, RunPage } from './run-page.tsx';
import { type UndoContent, UndoPage } from './undo-page.tsx';

/** The content of a run's page. All users with the same rights share the content of a run's page. */
export interface RunBodyText {
  detail: Pick<RunDetail, 'report' | 'phase' | 'integrationName'>;
  text: string;
}

/** Renders the body of a run's page. `words` contains the CRM's messages, or is empty if the user may not read them. */
export async function renderRunBody(
  viewer: Viewer,
  detail: RunDetail,
  words: readonly CrmMessage[],
): Promise<RunBodyText> {
  const text = await renderPart(<RunBody detail={detail} words={words} viewer={viewer} />);
  return { detail, text };
}

/** Renders the page of one run. */
export function renderRun(viewer: Viewer, { detail, text }: RunBodyText, note: string | null) {
  return render(
    <RunPage detail={detail} note={note} viewer={viewer}>
      {raw(text)}
    </RunPage>,
  );
}

/** Renders the values that a run wrote to one contact. */
export function renderChanges(viewer: Viewer, view: ChangesView) {
  return render(<ChangesPage view={view} viewer={viewer} />);
}

/** Renders the effects of undoing a run, and the button that undoes it. */
export function renderUndo(viewer: Viewer, content: UndoContent) {
  return render(<UndoPage content={content} viewer={viewer} />);
}

/** Renders the page of all runs. `isClient` is true if the selected client has pages. */
export function renderRuns(
  viewer: Viewer,
  list: RunListView,
  clients: ReadonlyMap<string, string>,
) {
  return render(<RunListPage list={list} clients={clients} viewer={viewer} />);
}

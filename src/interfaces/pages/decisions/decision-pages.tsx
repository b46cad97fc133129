/** The pages of decisions as texts: the one door between the routes and what is written in JSX. */
import { render, type Viewer } from '../frame/layout.tsx';
import { DecisionsPage } from './decisions-page.tsx';
import type { DecisionsPage as Content } from './read-page.ts';

/** The queue, with at most one decision open beside it. */
export function renderDecisions(viewer: Viewer, content: Content, note: string | null) {
  return render(<DecisionsPage content={content} viewer={viewer} note={note} />);
}

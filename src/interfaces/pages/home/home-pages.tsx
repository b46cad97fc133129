/** Renders the home pages as strings. The routes use JSX only through this file. */
import { render, type Viewer } from '../frame/layout.tsx';
import type { ClientDetail } from './client-detail.ts';
import { ClientPage } from './client-page.tsx';
import { HomePage } from './home-page.tsx';
import type { HomeView } from './home-view.ts';

/** Renders the page of all clients. `note` describes the user's last action. */
export function renderHome(viewer: Viewer, home: HomeView, note: string | null) {
  return render(<HomePage home={home} note={note} viewer={viewer} />);
}

/** Renders the page of one client. */
export function renderClient(viewer: Viewer, detail: ClientDetail, note: string | null) {
  return render(<ClientPage detail={detail} note={note} viewer={viewer} />);
}

import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { readAgain } from '../transport/refresh.ts';
import { companySettings } from './company-settings.ts';

/** Content that the company gives the public page of a personal link, for its settings alone (CS-01, UI-03). */
export interface PublicPage {
  presentation: string | null;
  friendGain: string | null;
  /** Within how many working days they are answered; null is not promised. */
  answerDays: number | null;
  pictureUrl: string | null;
}

/** Apart from the company's settings, which every screen reads. */
export const publicPage = queryOptions({
  queryKey: [...companySettings.queryKey, 'public-page'],
  queryFn: async (): Promise<PublicPage> => {
    const { data } = await callFunction<{ data: Row | null }>('company-settings', {
      method: 'GET',
      query: { action: 'get' },
    });
    return {
      presentation: data?.presentation ?? null,
      friendGain: data?.friend_gain ?? null,
      answerDays: data?.answer_days ?? null,
      pictureUrl: data?.picture_url ?? null,
    };
  },
});

interface Row {
  presentation: string | null;
  friend_gain: string | null;
  answer_days: number | null;
  picture_url: string | null;
}

/** UI-03: the new picture of the public page. */
export async function uploadPagePicture(file: File): Promise<void> {
  const body = new FormData();
  body.set('file', file);
  await callFunction('company-settings', { query: { action: 'upload_picture' }, body });
  await readAgain();
}

/** The public page without a picture. */
export async function removePagePicture(): Promise<void> {
  await callFunction('company-settings', { query: { action: 'remove_picture' }, body: {} });
  await readAgain();
}

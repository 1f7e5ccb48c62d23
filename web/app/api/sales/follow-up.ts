import { followUpSaved, newsAsked } from '@parrain/domain/messages';
import { callFunction } from '../transport/call-function.ts';
import { readAgain, refresh } from '../transport/refresh.ts';
import type { Changes } from '../transport/use-edit.ts';

/** TM-05: the day to call back and the private note of a referral. Gives the server's sentence. */
export async function keepFollowUp(saleId: string, changes: Changes): Promise<string> {
  const answer = await callFunction<{ message?: string }>('sales-management', {
    body: { action: 'follow_up', sale_id: saleId, ...changes },
  });
  await readAgain();
  return answer.message ?? followUpSaved;
}

/** TM-05: the referrer asks the commercial for news. Gives the server's sentence. */
export async function askForNews(saleId: string): Promise<string> {
  try {
    const answer = await callFunction<{ message?: string }>('sales-management', {
      body: { action: 'ask_news', sale_id: saleId },
    });
    return answer.message ?? newsAsked;
  } finally {
    refresh();
  }
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/agentplan/sdk/examples/loop"
)

// maxReply bounds what is read of an answer, in bytes.
const maxReply = 16 << 20

// endpoint is a model behind the chat completions protocol of OpenAI, which many servers
// speak.
type endpoint struct {
	url   string // up to and without /chat/completions
	model string
	key   string // empty sends none
}

func (e endpoint) Name() (provider, model string) { return "openai-compatible", e.model }

type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Tools    []chatTool    `json:"tools,omitempty"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatToolSpec `json:"function"`
}

type chatToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type chatReply struct {
	Choices []struct {
		Message      chatMessage `json:"message"`
		FinishReason string      `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// Reply sends one request.
func (e endpoint) Reply(ctx context.Context, r loop.Request) (loop.Reply, error) {
	body, err := json.Marshal(e.chatRequest(r))
	if err != nil {
		return loop.Reply{}, fmt.Errorf("encode request: %w", err)
	}
	url := strings.TrimSuffix(e.url, "/") + "/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return loop.Reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		request.Header.Set("Authorization", "Bearer "+e.key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		if ctx.Err() == nil {
			err = errors.Join(loop.ErrTemporary, err)
		}
		return loop.Reply{}, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return loop.Reply{}, fmt.Errorf("read answer of %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s answered %s: %s", url, response.Status, visible(oneLine(string(answer[:min(len(answer), 300)]))))
		if response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500 {
			err = fmt.Errorf("%w: %w", loop.ErrTemporary, err)
		}
		return loop.Reply{}, err
	}
	return readChatReply(answer)
}

func readChatReply(answer []byte) (loop.Reply, error) {
	var chat chatReply
	if err := json.Unmarshal(answer, &chat); err != nil {
		return loop.Reply{}, fmt.Errorf("decode answer: %w", err)
	}
	if len(chat.Choices) == 0 {
		return loop.Reply{}, errors.New("decode answer: it has no choices")
	}
	choice := chat.Choices[0]
	reply := loop.Reply{
		Truncated:    choice.FinishReason == "length",
		InputTokens:  chat.Usage.PromptTokens,
		OutputTokens: chat.Usage.CompletionTokens,
	}
	if choice.Message.Content != nil {
		reply.Text = *choice.Message.Content
	}
	for _, c := range choice.Message.ToolCalls {
		reply.Calls = append(reply.Calls, loop.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return reply, nil
}

func (e endpoint) chatRequest(r loop.Request) chatRequest {
	out := chatRequest{Model: e.model}
	if r.System != "" {
		out.Messages = append(out.Messages, chatMessage{Role: "system", Content: &r.System})
	}
	for _, m := range r.Messages {
		message := chatMessage{Role: string(m.Role), Content: &m.Text, ToolCallID: m.CallID}
		for _, c := range m.Calls {
			message.ToolCalls = append(message.ToolCalls, chatCall{
				ID: c.ID, Type: "function", Function: chatFunction{Name: c.Name, Arguments: c.Arguments},
			})
		}
		if m.Text == "" && len(m.Calls) > 0 {
			message.Content = nil
		}
		out.Messages = append(out.Messages, message)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, chatTool{
			Type: "function", Function: chatToolSpec{Name: t.Name, Description: t.Description, Parameters: t.Schema},
		})
	}
	return out
}
